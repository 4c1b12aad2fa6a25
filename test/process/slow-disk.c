/*
 * To be loaded before a program (LD_PRELOAD): a disk that takes SLOW_DISK_MS longer for each fsync. While the
 * file LAST_SYNC is there, with a number in it, the program is killed right after so many more commits of the
 * databases of a bot.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static int is_of_bot(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  return strstr(path, "mirror.sqlite") != NULL || strstr(path, "control.sqlite") != NULL;
}

static void die_after(int file) {
  static long left = -1;
  const char *path = getenv("LAST_SYNC");
  FILE *counter = path == NULL ? NULL : fopen(path, "r");
  if (counter == NULL) return;
  if (left < 0 && fscanf(counter, "%ld", &left) != 1) left = -1;
  fclose(counter);
  if (left > 0 && is_of_bot(file) && --left == 0) kill(getpid(), SIGKILL);
}

int fsync(int file) {
  wait_for_disk();
  int answer = (int)syscall(SYS_fsync, file);
  die_after(file);
  return answer;
}

int fdatasync(int file) {
  wait_for_disk();
  int answer = (int)syscall(SYS_fdatasync, file);
  die_after(file);
  return answer;
}
