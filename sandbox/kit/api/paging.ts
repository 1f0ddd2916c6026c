import type { Params } from './params.ts';

type Listed = Readonly<{ id: string; at: number }>;

export type PageWords = Readonly<{
  size(given: number, least: number, most: number): Error;
  token(name: string, given: string): Error;
}>;

export type Sizes = readonly [least: number, usual: number, most: number];

const tokenOf = (id: string) => Buffer.from(`below ${id}`).toString('base64url');

/** Pages a list that is sorted newest first by time-based ids; supports `since_id`, `until_id` and times. */
export function pageBelow<T extends Listed>(
  params: Params,
  all: readonly T[],
  [least, usual, most]: Sizes,
  {
    words,
    tokenName = 'pagination_token',
    cap = most,
  }: Readonly<{ words: PageWords; tokenName?: string; cap?: number }>,
): Readonly<{ rows: readonly T[]; next: string | undefined }> {
  const request = params.whole('max_results') ?? usual;
  if (request < least || request > most) throw words.size(request, least, most);
  const size = Math.min(request, cap);
  const [name, token] = [tokenName, 'pagination_token']
    .map((one) => [one, params.text(one)] as const)
    .find(([, given]) => given !== undefined) ?? [tokenName, undefined];
  const [, last] = /^below (\d{1,19})$/.exec(Buffer.from(token ?? '', 'base64url').toString()) ?? [];
  if (token !== undefined && last === undefined) throw words.token(name, token);
  const id = (given: string): bigint | undefined => {
    const value = params.text(given);
    if (value !== undefined && !/^\d{1,19}$/.test(value)) throw words.token(given, value);
    return value === undefined ? undefined : BigInt(value);
  };
  const below = last === undefined ? undefined : BigInt(last);
  const [since, until, from, to] = [id('since_id'), id('until_id'), params.time('start_time'), params.time('end_time')];
  const rest = all.filter(
    (one) =>
      (below === undefined || BigInt(one.id) < below) &&
      (since === undefined || BigInt(one.id) > since) &&
      (until === undefined || BigInt(one.id) < until) &&
      (from === undefined || one.at >= from) &&
      (to === undefined || one.at < to),
  );
  const rows = rest.slice(0, size);
  const end = rows.at(-1);
  return { rows, next: end !== undefined && rest.length > size ? tokenOf(end.id) : undefined };
}
