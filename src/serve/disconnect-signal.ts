import type { ServerResponse } from 'node:http';

/** Ends when the client leaves before its whole answer is on its way. */
export function disconnectSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const closed = () => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.closed) closed();
  else res.once('close', closed);
  return controller.signal;
}
