import { MINUTE } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { makeBrowser } from '../../harness/calls/browser.ts';
import { newBrand, onFreePlan } from '../../harness/calls/operations.ts';
import { list, read } from '../../harness/calls/rest.ts';
import { callsOf, credentialsOf } from '../../harness/platforms/bluesky-people.ts';
import { fillIn, landedAt, open } from './form.ts';

const platform = 'bluesky';
/** What the client is told of a connection that is over. */
const OVER = { status: 'error', error: 'auth.state_mismatch' };

async function start(world: World, ask: object = {}): Promise<string> {
  const input = { platform, redirect_uri: 'https://app.example.org/done?keep=1', state: 'client &state', ...ask };
  return (await world.rest('POST /v1/accounts/connect', input)).body.auth_url;
}

/** Starts to connect an account again. */
const startAgain = async (world: World, id: string): Promise<string> =>
  (await read(world, `/v1/oauth/url?account_id=${id}&redirect_uri=https://app.example.org/`)).auth_url;

const connect = (world: World, authUrl: string, person = 0) => fillIn(world, authUrl, credentialsOf(world, person));

const countOf = async (world: World): Promise<number> => (await read(world, '/v1/accounts')).count;

describe('connecting through the form', () => {
  it('ends at the redirect_uri with the account and the state as it was given', async ({ world }) => {
    const receiver = await world.receive(['account.connected']);
    const landed = await connect(world, await start(world));
    const [{ id }] = await list(world, '/v1/accounts');
    expect(landed).toEqual({
      address: 'https://app.example.org/done',
      keep: '1',
      status: 'success',
      platform,
      state: 'client &state',
      account_id: id,
    });
    await world.settle();
    expect(receiver.received).toHaveLength(1);
  });

  it.for([
    [{ redirect_uri: undefined, metadata: { redirect_uri: 'https://app.example.org/theirs' } }, '/theirs'],
    [{ metadata: { redirect_uri: 'https://app.example.org/theirs' } }, '/done'],
  ] as const)('ends at the redirect_uri of metadata where there is no other (%#)', async ([ask, path], { world }) => {
    const { address } = await connect(world, await start(world, ask));
    expect(address).toBe(`https://app.example.org${path}`);
  });

  it('says state= where none was given, and shows our own page where nobody waits', async ({ world }) => {
    expect((await connect(world, await start(world, { state: undefined })))['state']).toBe('');
    const own = await open(world, await start(world, { redirect_uri: undefined }));
    const answer = await own.submit(credentialsOf(world));
    const shown = await fetch(new URL(answer.headers.location!, world.root));
    expect([answer.status, shown.status]).toEqual([302, 200]);
  });

  it('connects into the brand asked for', async ({ world }) => {
    await connect(world, await start(world, { brand_id: world.brandId }));
    expect((await world.rest(`GET /v1/accounts?brand_id=${world.brandId}`)).body.count).toBe(1);
  });

  it('lets a mistyped password be corrected, and then the state is spent', async ({ world }) => {
    const authUrl = await start(world);
    const page = await open(world, authUrl);
    const wrong = await page.submit({ ...credentialsOf(world), app_password: 'aaaa-bbbb-cccc-dddd' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).not.toContain('aaaa-bbbb-cccc-dddd');
    expect(landedAt(await page.submit(credentialsOf(world)))['status']).toBe('success');
    expect((await open(world, authUrl)).status).toBe(403);
    expect(await countOf(world)).toBe(1);
  });

  it('is over after 15 minutes', async ({ world }) => {
    const authUrl = await start(world);
    world.clock.move(15 * MINUTE - 1);
    const page = await open(world, authUrl);
    expect(page.status).toBe(200);
    world.clock.move(1);
    expect(landedAt(await page.submit(credentialsOf(world)))).toMatchObject(OVER);
    expect(await countOf(world)).toBe(0);
  });

  it.each(['before the form is opened', 'while the form is open'])('is over when its brand goes %s', async (when) => {
    const world = await makeWorld();
    const authUrl = await start(world, { brand_id: world.brandId });
    const early = when.startsWith('while') ? await open(world, authUrl) : undefined;
    await world.rest(`DELETE /v1/brands/${world.brandId}`);
    const shown = await (early ? early.submit(credentialsOf(world)) : makeBrowser(world).open(authUrl));
    expect(landedAt(shown)).toMatchObject({ ...OVER, state: 'client &state' });
    expect(await countOf(world)).toBe(0);
    expect(callsOf(world, 'com.atproto.server.createSession')).toBe(0);
  });

  it('is over when the account goes that was to be connected again', async ({ world, account: { id } }) => {
    const page = await open(world, await startAgain(world, id));
    await world.rest(`DELETE /v1/accounts/${id}`);
    expect(landedAt(await page.submit(credentialsOf(world)))).toMatchObject(OVER);
    expect(await countOf(world)).toBe(0);
  });

  it('takes no form from elsewhere', async ({ world }) => {
    const page = await open(world, await start(world));
    expect((await page.submit(credentialsOf(world), { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await page.submit({ ...credentialsOf(world), form_token: 'guessed' })).status).toBe(403);
    expect(await countOf(world)).toBe(0);
  });

  it('passes refusals of ours on to the redirect_uri', async ({ world }) => {
    const account = await world.connect(0, world.brandId);
    const taken = { status: 'error', error: 'resource.conflict', state: 'client &state' };
    expect(await connect(world, await start(world, { brand_id: world.brandId }), 1)).toMatchObject(taken);
    const linked = await connect(world, await start(world, { brand_id: await newBrand(world) }));
    expect(linked['error']).toBe('account.already_linked');
    const different = await connect(world, await startAgain(world, account.id), 2);
    expect(different['error']).toBe('account.different_login');
    await onFreePlan(world);
    expect((await connect(world, await start(world), 1))['error']).toBe('brand.limit_reached');
    expect(await countOf(world)).toBe(1);
    expect((await world.rest('GET /v1/brands')).body.count).toBe(2);
  });

  it('brings the very account back that was asked for', async ({ world, account }) => {
    expect((await connect(world, await startAgain(world, account.id)))['account_id']).toBe(account.id);
    expect(await list(world, '/v1/accounts')).toEqual([account]);
  });

  it('can be cancelled', async ({ world }) => {
    const authUrl = await start(world);
    const landed = landedAt(await (await open(world, authUrl)).submit({ cancel: '1' }));
    expect(landed).toMatchObject({ status: 'error', error: 'access_denied' });
    expect((await open(world, authUrl)).status).toBe(403);
  });
});
