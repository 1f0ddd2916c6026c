import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Role } from '#kernel/people/roles.ts';
import { ROOT } from '../../../architecture/source.ts';
import { formsOf, setUp, unescape, type Browser } from '../../../harness/calls/browser.ts';
import { TOOLS } from '../../../harness/calls/operations.ts';
import { personWith } from '../../../harness/calls/people.ts';
import { it, type World } from '../../../harness/world.ts';

/** A browser in which a person of this role is signed in. */
const browserOf = async (world: World, role: Exclude<Role, 'owner'>): Promise<Browser> =>
  (await personWith(world, role, role)).browser;

/** Where each live page is, and who may open it besides administrators. */
const PAGES: Readonly<Record<string, readonly [path: string, ...roles: readonly Role[]]>> = {
  accounts: ['accounts', 'editor', 'viewer'],
  activity: ['activity', 'editor', 'viewer'],
  analytics: ['analytics', 'editor', 'viewer'],
  assistants: ['assistants', 'editor', 'viewer'],
  calendar: ['calendar', 'editor', 'viewer'],
  compose: ['compose', 'editor'],
  exports: ['exports', 'editor', 'viewer'],
  import: ['posts/import', 'editor'],
  inbox: ['inbox', 'editor', 'viewer'],
  media: ['media', 'editor', 'viewer'],
  migration: ['migration'],
  post: ['posts/POST', 'editor', 'viewer'],
  posts: ['posts', 'editor', 'viewer'],
  replies: ['replies', 'editor', 'viewer'],
  today: ['', 'editor', 'viewer'],
  webhook: ['webhooks/HOOK'],
  webhooks: ['webhooks'],
};

const scripts = globSync('dashboard/*/**/*.{ts,tsx}', { cwd: ROOT }).map((path) => ({
  page: path.split('/')[1]!,
  text: readFileSync(join(ROOT, path), 'utf8'),
}));
const live = globSync('dashboard/*/page.tsx', { cwd: ROOT }).map((path) => dirname(path).split('/')[1]!);

const dataOf = (text: string, name: string) =>
  JSON.parse(unescape(new RegExp(` data-${name}="([^"]*)"`).exec(text)![1]!));

describe('each live page', () => {
  it('opens for the roles that can use it, with a page that says whom to ask for the others', async ({
    world,
    account,
  }) => {
    await setUp(world);
    const { body: post } = await world.rest('POST /v1/posts', { text: 'Bread', account_ids: [account['id']] });
    const { body: hook } = await world.rest('POST /v1/webhooks', { url: 'https://a.example/', events: ['dm.sent'] });
    expect(Object.keys(PAGES).toSorted()).toEqual(live.filter((name) => name !== 'plain').toSorted());
    for (const role of ['admin', 'editor', 'viewer'] as const) {
      const browser = await browserOf(world, role);
      for (const [name, [path, ...roles]] of Object.entries(PAGES)) {
        const address = `/dashboard/${path.replace('POST', post.id).replace('HOOK', hook.id)}`.replace(/\/$/, '');
        const { status, text, words } = await browser.open(address);
        const isOpen = role === 'admin' || roles.includes(role);
        expect([role, name, status]).toEqual([role, name, isOpen ? 200 : 403]);
        if (isOpen) expect(dataOf(text, 'first').refusal).toBeUndefined();
        else expect(words).toContain('ask an administrator');
        expect(text).toMatch(/<script[^>]* src="\/assets\/dashboard\//);
      }
    }
  });

  it('leaves out what is only for administrators', async ({ world, account }) => {
    const owner = await setUp(world);
    const [viewer, editor] = [await browserOf(world, 'viewer'), await browserOf(world, 'editor')];
    const read = async (browser: Browser) => {
      const { text } = await browser.open('/dashboard/accounts');
      const { setups, list_accounts } = dataOf(text, 'first');
      const actions = formsOf(text).map(({ action }) => action);
      return [list_accounts.data[0].id, setups.length > 0, actions.some((one) => one.includes('/accounts/'))];
    };
    expect(await read(owner)).toEqual([account['id'], true, true]);
    for (const browser of [viewer, editor]) expect(await read(browser)).toEqual([account['id'], false, false]);
  });

  it('shows what waits to people who decide about it', async ({ world }) => {
    await setUp(world);
    const words = async (role: 'editor' | 'viewer') =>
      (await (await browserOf(world, role)).open('/dashboard/assistants')).words;
    expect(await words('editor')).toContain('Nothing is waiting for you.');
    expect(await words('viewer')).not.toContain('Nothing is waiting');
  });
});

/** Operations that are offered together with another, for the same roles. */
const TOGETHER: Readonly<Record<string, string>> = {
  delete_twitter_credentials: 'connect_account',
  deny_action: 'approve_action',
  revoke_invite: 'create_invite',
  set_twitter_credentials: 'connect_account',
  send_whatsapp_template: 'send_dm',
  test_twitter_credentials: 'connect_account',
  unhide_comment: 'hide_comment',
  unlike_comment: 'like_comment',
  update_review_reply: 'reply_to_review',
};
/** How pages ask about an operation before they offer it. */
const ASKED = [
  /\b(?:may|button)\('([a-z]+_\w+)'/g,
  /\bneeds: '(\w+)'/g,
  /\['can_\w+', '(\w+)'\]/g,
  /^ {2}(?:conversation|comment|post|mention|review): \['(\w+)'/gm,
];

it('pages offer what a role does not allow only after they asked', async ({ world }) => {
  await setUp(world);
  const deniedTo = async (role: 'editor' | 'viewer'): Promise<ReadonlySet<string>> => {
    const { text } = await (await browserOf(world, role)).open('/dashboard');
    return new Set(dataOf(text, 'denied'));
  };
  const [viewer, editor] = [await deniedTo('viewer'), await deniedTo('editor')];
  // Who makes an export can also stop it.
  expect([editor.has('create_export'), editor.has('delete_export'), viewer.has('delete_export')]).toEqual([
    false,
    false,
    true,
  ]);
  const asked = new Set(
    ASKED.flatMap((how) => scripts.flatMap(({ text }) => [...text.matchAll(how)].map(([, name]) => name!))),
  );
  expect([...asked].filter((name) => !TOOLS.some((tool) => tool.name === name))).toEqual([]);
  for (const [name, other] of Object.entries(TOGETHER))
    expect([name, viewer.has(name), editor.has(name)]).toEqual([name, viewer.has(other), editor.has(other)]);
  const open = scripts.filter(({ page }) => PAGES[page]?.includes('viewer'));
  const offered = TOOLS.filter(({ name, effect }) => effect !== 'read' && viewer.has(name)).filter(({ name }) =>
    open.some(({ text }) => text.includes(`'${name}'`)),
  );
  expect(offered.length).toBeGreaterThan(30);
  expect(offered.map(({ name }) => TOGETHER[name] ?? name).filter((name) => !asked.has(name))).toEqual([]);
});
