import type { ServerResponse } from 'node:http';

/** Aborts when the client disconnects before the whole response is sent. */
export function disconnectSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const closed = () => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.closed) closed();
  else res.once('close', closed);
  return controller.signal;
}
