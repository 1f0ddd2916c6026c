import * as z from 'zod';
import type { Person } from '../records.ts';
import { Id } from './api.ts';

/** What Graph leaves out, and what cannot be read, is not there. */
export const text = z.string().optional().catch(undefined);
export const flag = z.boolean().catch(false);
export const count = z.number().int().nonnegative().catch(0);

/** `2026-01-31T18:10:30+0000` in milliseconds. */
export const Time = z
  .string()
  .transform((iso) => Date.parse(iso))
  .pipe(z.number());

/** Somebody, as Graph names them to a page; it leaves out whom the page may not know. */
export const Somebody = z
  .object({
    id: Id,
    name: z.string().catch(''),
    picture: z
      .object({ data: z.object({ url: text }) })
      .optional()
      .catch(undefined),
  })
  .optional()
  .catch(undefined);

/** Answers who somebody is; nobody has no id. */
export function personOf(somebody: z.output<typeof Somebody>): Person {
  if (somebody === undefined) return { id: '', name: '' };
  return { id: somebody.id, name: somebody.name, avatar_url: somebody.picture?.data.url };
}

/** Graph tells whole seconds: something made in this second seems older than it is. */
export function secondOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
