/** What a request knows of itself; mounts may read `requestId` and should name their `route` for the log. */
export type RequestState = {
  requestId: string;
  /** The pattern that matched, never the address: addresses hold ids and tokens. */
  route?: string;
};
