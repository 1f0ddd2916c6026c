import { createHmac } from 'node:crypto';
import { seconds } from './ids.ts';
import type { Update } from '../facebook/updates.ts';

/** A digest under the app's secret. */
export const hmac = (appSecret: string, algorithm: string, body: string): ReturnType<typeof createHmac> =>
  createHmac(algorithm, appSecret).update(body);

/** JSON as Meta writes it: other than ASCII escaped in lower case, and some marks besides. */
export function escaped(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replaceAll(/[<%@\u0080-\uffff]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A `signed_request`: signature and payload, both base64url. */
export function signedRequest(appSecret: string, payload: object): string {
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${hmac(appSecret, 'sha256', encoded).digest('base64url')}.${encoded}`;
}

/** Updates of one Page that follow one another share an entry. */
export function bundle(updates: readonly Update[]): object {
  const entries: { id: string; kind: Update['kind']; at: number; items: unknown[] }[] = [];
  for (const { page_id, kind, at, item } of updates) {
    const last = entries.at(-1);
    if (last?.id === page_id && last.kind === kind) last.items.push(item);
    else entries.push({ id: page_id, kind, at, items: [item] });
  }
  return {
    object: 'page',
    entry: entries.map(({ id, kind, at, items }) =>
      kind === 'changes' ? { id, time: seconds(at), changes: items } : { id, time: at, messaging: items },
    ),
  };
}
