import { expect } from 'vitest';
import { makeBrowser, type Shown } from '../../harness/calls/browser.ts';
import type { World } from '../../harness/world.ts';

type Fields = Readonly<Record<string, string>>;

/** A browser on a form of ours. */
export async function open(world: World, address: string) {
  const browser = makeBrowser(world);
  const page = await browser.open(address);
  const submit = (fields: Fields, headers?: Record<string, string>) => browser.submit(page, fields, undefined, headers);
  return { status: page.status, submit };
}

/** Where a browser is sent, and what the query of that address says. */
export function landedAt({ status, headers }: Shown): Record<string, string> {
  expect(status).toBe(302);
  const { origin, pathname, searchParams } = new URL(headers.location!);
  return { address: origin + pathname, ...Object.fromEntries(searchParams) };
}

/** Opens a form and fills it in; answers where that leads. */
export const fillIn = async (world: World, address: string, fields: Fields) =>
  landedAt(await (await open(world, address)).submit(fields));
