from cuda import device as D


@D.kernel
def spmv(y, row_start, column, value, x):
    row = D.tid(1)
    if row < y.size:
        total = 0.0
        for k in range(row_start[row], row_start[row + 1]):
            total += value[k] * x[column[k]]
        y[row] = total
