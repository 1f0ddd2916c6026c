import type { Agreed } from '../../architecture/operations-table.ts';

/** An input that changes nothing: ids of nothing, and a brand of nobody where none would mean a new one. */
export function nothing({ path, name }: Agreed): Record<string, string> {
  const ids = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => [field!, 'none']));
  return name === 'exchange_oauth' ? { platform: 'google', code: 'abc', brand_id: 'brd_none' } : ids;
}
