import type { ServerResponse } from 'node:http';

/** The signal that aborts when the client disconnects before the whole response is sent; few calls need it. */
export function disconnectSignal(res: ServerResponse): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    controller ??= abortedBy(res);
    return controller.signal;
  };
}

function abortedBy(res: ServerResponse): AbortController {
  const controller = new AbortController();
  const closed = () => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.closed) closed();
  else res.once('close', closed);
  return controller;
}
