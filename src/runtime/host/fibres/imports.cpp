#include "runtime/host/fibres/imports.h"

#include "support/check.h"

int32_t cd_thread_barrier(const void*, uint32_t, uint32_t, uint32_t) {
  CD_UNREACHABLE("no thread runs alone yet");
}

uint64_t cd_thread_meet(const void*, uint32_t, uint32_t, uint32_t, uint64_t, uint32_t) {
  CD_UNREACHABLE("no thread runs alone yet");
}

void cd_thread_turn(const void*, uint32_t, uint64_t) { CD_UNREACHABLE("no thread runs alone yet"); }

void cd_thread_leave(const void*) { CD_UNREACHABLE("no thread runs alone yet"); }
