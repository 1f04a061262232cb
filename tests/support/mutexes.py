"""The lock of the device guide (DEV-STRUCT-15)."""

from cuda import device as D


@D.struct
class ticket_mutex:
    line: D.Atomic(int, align=16)
    current: D.Atomic(int, align=16)

    @D.func
    def lock(self):
        my = self.line.add(1)
        while True:
            now = self.current.load()
            if now == my:
                break
            self.current.wait(now)

    @D.func
    def unlock(self):
        self.current.add(1)
        self.current.notify_all()
