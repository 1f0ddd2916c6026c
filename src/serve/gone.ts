import type { ServerResponse } from 'node:http';

/** Ends when the client leaves before its whole answer is on its way. */
export function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const closed = () => {
    if (!res.writableFinished) gone.abort();
  };
  if (res.closed) closed();
  else res.once('close', closed);
  return gone.signal;
}
