// The plainest program with the same library: it answers every request with 2 kB, on one thread of the library's own.
// Scripts/serve-bench compares it with `serve`.
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char body[2048];

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version, const char *data,
    size_t *count, void **request) {
  (void)context, (void)url, (void)method, (void)version, (void)data, (void)count;
  if (!*request) {
    *request = (void *)1;
    return MHD_YES;
  }
  struct MHD_Response *response = MHD_create_response_from_buffer(sizeof body, body, MHD_RESPMEM_PERSISTENT);
  enum MHD_Result result = MHD_queue_response(connection, 200, response);
  MHD_destroy_response(response);
  return result;
}

int main(int count, char **words) {
  if (count != 2) return 64;
  memset(body, 'a', sizeof body);
  struct MHD_Daemon *daemon =
      MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, (uint16_t)atoi(words[1]), NULL, NULL, answer, NULL, MHD_OPTION_END);
  if (!daemon) return 1;
  puts("serving");
  fflush(stdout);
  getchar();
  MHD_stop_daemon(daemon);
  return 0;
}
