/** Simulators are opened at their first use, whatever that is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { TWINS } from '#sandbox/network.ts';
import { handClock, openWorld } from '../harness/worlds/twins/bluesky.ts';
import { openApp } from '../harness/worlds/twins/app.ts';
import { openFacebookWorld } from '../harness/worlds/twins/facebook.ts';

const UNUSED = 'none';
const opened = (world: Awaited<ReturnType<typeof openWorld>>) => [
  ...new Set(world.sandbox.people().map(({ network }) => network)),
];

it('are listed by the console, though none of them is open', async () => {
  const world = await openWorld({}, UNUSED);
  onTestFinished(world.close);
  const { text } = await world.ask('/sandbox');
  for (const { slug, title, entry } of TWINS)
    for (const part of [`href="/sandbox/${slug}"`, title, entry]) expect(text).toContain(part);
  expect((await world.ask('/sandbox/nowhere')).status).toBe(404);
  expect(opened(world)).toEqual([]);
});

it.each([
  ['a request', 'bluesky/xrpc/_health'],
  ['its console page', 'bluesky'],
  ['its lists', '__control/bluesky/messages'],
  ['its people', '__control/people?network=bluesky'],
])('are opened by %s, alone', async (_, path) => {
  const world = await openWorld({}, UNUSED);
  onTestFinished(world.close);
  const asked = await Promise.all([1, 2].map(() => world.ask(`/sandbox/${path}`)));
  expect(asked.map(({ status }) => status)).toEqual([200, 200]);
  expect(opened(world)).toEqual(['bluesky']);
});

it('name somebody who is connected by a form', async () => {
  const world = await openWorld({}, UNUSED);
  onTestFinished(world.close);
  expect(await world.sandbox.someoneWithForm()).toMatchObject({ form: { app_password: expect.any(String) } });
});

it('are pages for people or areas for programs, however the address is written', async () => {
  const { sandbox, close } = await openWorld({}, UNUSED);
  onTestFinished(close);
  for (const path of [
    '',
    '/bluesky',
    '/facebook/www/x',
    '/facebook/%77ww/x',
    '/facebook//www',
    '/facebook/elsewhere/x',
    '/__control/people',
    '/%',
  ])
    expect([path, sandbox.isConsole(`/sandbox${path}`)]).toEqual([path, true]);
  for (const path of ['/facebook/graph/v1', '/facebook//graph/v1', '/bluesky/xrpc/x'])
    expect([path, sandbox.isConsole(`/sandbox${path}`)]).toEqual([path, false]);
  expect(sandbox.isConsole('/elsewhere')).toBe(false);
});

it('of an earlier process send what it left unsent, and go back to the first day unopened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-twins-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sandbox.db');
  const before = await openFacebookWorld({ file });
  const page = await before.ready();
  before.app.answer(500);
  await before.post(`${page.id}/feed`, page.token, { message: 'unsent' });
  await before.close();

  const app = await openApp();
  const restart = () => openWorld({ file, productUrl: () => app.url }, UNUSED);
  const after = await restart();
  await after.sandbox.settle();
  expect(opened(after)).toEqual(['facebook']);
  await after.close();

  const again = await restart();
  await again.sandbox.reset();
  expect((await again.ask('/sandbox/__control/facebook/posts')).json.data).toEqual([]);
  await again.close();
  const last = await restart();
  await last.sandbox.settle();
  expect(opened(last)).toEqual([]);
  await last.close();
  await app.close();
});

it('are on the next day what they were, each of them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-twins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'sandbox.db');
  /** All that is stored after every simulator was opened on a day. */
  const storedOn = async (day: number) => {
    const world = await openWorld({ file, clock: handClock(Date.UTC(2026, 0, day)) }, UNUSED);
    for (const { slug } of TWINS) await world.sandbox.open(slug);
    await world.close();
    const database = new Database(file, { readonly: true });
    const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").pluck().all();
    const rows = tables.map((name) => [name, database.prepare(`select * from "${String(name)}"`).all()] as const);
    database.close();
    return Object.fromEntries(rows);
  };
  const first = await storedOn(1);
  expect(await storedOn(2)).toEqual(first);
});
