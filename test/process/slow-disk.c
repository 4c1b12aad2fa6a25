/* To be loaded before a program (LD_PRELOAD): a disk that takes SLOW_DISK_MS longer for each fsync. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_for_disk(void) {
  const char *text = getenv("SLOW_DISK_MS");
  long ms = text == NULL ? 0 : atol(text);
  struct timespec rest = {ms / 1000, (ms % 1000) * 1000000L};
  while (nanosleep(&rest, &rest) != 0) {
  }
}

int fsync(int file) {
  wait_for_disk();
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  wait_for_disk();
  return (int)syscall(SYS_fdatasync, file);
}
