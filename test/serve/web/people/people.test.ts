import { describe, expect } from 'vitest';
import { DAY } from '#kernel/clock.ts';
import {
  formsOf,
  isSignedIn,
  makeBrowser,
  OWNER,
  says,
  setUp,
  signIn,
  unescape,
} from '../../../harness/calls/browser.ts';
import { dashboardToken } from '../../../harness/calls/dashboard.ts';
import { call } from '../../../harness/calls/operations.ts';
import { invite, join, PASSWORD, personWith } from '../../../harness/calls/people.ts';
import { it as test, makeWorld, type World } from '../../../harness/world.ts';

const it = test.extend('owner', ({ world }) => setUp(world));

const PATH = '/dashboard/people';
const linkIn = (text: string) => unescape(/<p class="secret"[^>]*><code>([^<]*)/.exec(text)?.[1] ?? '');
const peopleOf = async (world: World) =>
  (await call(world, 'list_people', {}, { key: await dashboardToken(world) })).body.data as readonly {
    email: string;
    role: string;
  }[];
const rolesOf = async (world: World) => (await peopleOf(world)).map(({ email, role }) => `${email} ${role}`);

describe('the people page', () => {
  it('says that somebody is alone, and makes a link that is shown once', async ({ world, owner }) => {
    const page = await owner.open(PATH);
    expect(page).toMatchObject(says(200, 'You are the only person in this workspace.'));
    expect(page.words).toMatch(/Anna \(you\) anna@example.org Owner, since/);
    expect(page.words).toContain('No mail is sent');
    expect(page.words).not.toContain('Hand the workspace over');
    const made = await owner.submit(page, { email: ' Bea@Example.org', role: 'viewer' }, `${PATH}/invite`);
    expect([made.status, made.headers.location]).toEqual([302, `${PATH}/invited`]);
    const shown = await owner.follow(made);
    expect(shown).toMatchObject(says(200, 'Send this link to bea@example.org yourself'));
    expect(shown.words).toMatch(/join in the role Viewer until it is used, at the latest until Thu, 22 Jan 2026/);
    const link = linkIn(shown.text);
    expect(link).toMatch(new RegExp(`^${world.config.rootUrl}/join\\?token=[0-9a-f]{64}$`));
    expect((await owner.open(`${PATH}/invited`)).text).not.toContain(link);
    expect((await owner.open(PATH)).words).toMatch(/Open invitations bea@example.org Viewer, invited by Anna ; until/);
    await join(world, link, 'Bea');
    const both = await owner.open(PATH);
    expect(both.words).not.toContain('Open invitations');
    expect(both.words).toMatch(/Bea bea@example.org Viewer, since/);
  });

  test('mails the link too where mail is configured, and shows it once', async () => {
    const world = await makeWorld({ mail: true });
    const owner = await setUp(world);
    const page = await owner.open(PATH);
    expect(page.words).toMatch(/The link is sent to them by mail, and shown to you once\. Whoever has it can join/);
    expect(page.words).not.toContain('No mail is sent');
    const made = await owner.submit(page, { email: 'bea@example.org', role: 'viewer' }, `${PATH}/invite`);
    const shown = await owner.follow(made);
    expect(shown.words).toMatch(
      /A mail with this link was sent to bea@example\.org ; you can also send it yourself\. It is not shown again\./,
    );
    await world.settle();
    expect(world.mails).toMatchObject([{ to: 'bea@example.org', text: expect.stringContaining(linkIn(shown.text)) }]);
    expect((await owner.open(`${PATH}/invited`)).text).not.toContain('/join?token=');
  });

  it('shows the link only to the session that made it', async ({ world, owner }) => {
    const other = makeBrowser(world);
    await signIn(other);
    await owner.submit(await owner.open(PATH), { email: 'bea@example.org', role: 'editor' }, `${PATH}/invite`);
    other.jar.set('rostra-invitation', owner.jar.get('rostra-invitation')!);
    expect(await other.open(`${PATH}/invited`)).toMatchObject(says(200, 'there is none to show now'));
    expect(linkIn((await owner.open(`${PATH}/invited`)).text)).toContain('/join?token=');
  });

  it.for([
    [{ email: 'nobody' }, 400, 'must be an e-mail address'],
    [{ email: OWNER.email }, 409, 'is already in this workspace'],
    [{ email: 'bea@example.org' }, 409, 'bea@example.org is already invited'],
    [{ role: 'owner' }, 400, 'Role'],
  ] as const)('refuses the invitation %j', async ([wrong, status, words], { world, owner }) => {
    await invite(world, 'bea@example.org');
    const page = await owner.open(PATH);
    const given = { email: 'carl@example.org', role: 'viewer', ...wrong };
    const refused = await owner.submit(page, given, `${PATH}/invite`);
    expect(refused).toMatchObject(says(status, words));
    expect(refused.text).toContain(`value="${given.email}"`);
    const { body } = await call(world, 'list_invitations', {}, { key: await dashboardToken(world) });
    expect(body.count).toBe(1);
  });

  it('revokes an invitation, which ends by itself after 7 days', async ({ world, owner }) => {
    const { url } = await invite(world, 'bea@example.org');
    const revoked = await owner.submit(await owner.open(PATH), {}, `${PATH}/revoke`);
    expect(revoked.headers.location).toBe(PATH);
    const browser = makeBrowser(world);
    expect((await browser.follow(await browser.open(url))).status).toBe(403);
    await invite(world, 'bea@example.org');
    world.clock.move(7 * DAY - 1);
    expect((await owner.open(PATH)).words).toContain('Open invitations');
    world.clock.move(1);
    expect((await owner.open(PATH)).words).not.toContain('Open invitations');
  });

  it('changes a role, but makes nobody the owner without the password', async ({ world, owner }) => {
    const { email, id } = await personWith(world, 'viewer');
    const page = await owner.open(PATH);
    expect(page.words).toContain('Apps that they connected get the new role too. API keys that they made keep');
    const at = `${PATH}/role`;
    expect((await owner.submit(page, { role: 'admin' }, at)).headers.location).toBe(PATH);
    expect(await rolesOf(world)).toEqual([`${OWNER.email} owner`, `${email} admin`]);
    await owner.submit(page, { role: 'owner' }, at);
    expect(await rolesOf(world)).toEqual([`${OWNER.email} owner`, `${email} admin`]);
    const gone = await owner.submit(page, { role: 'editor', user_id: `${id}x` }, at);
    expect(gone.status).toBe(404);
    expect(formsOf(page.text).filter(({ action }) => action === at)).toHaveLength(1);
  });

  it('lets an administrator lower their own role, who then has no such page', async ({ world }) => {
    const { browser, id } = await personWith(world, 'admin');
    const page = await browser.open(PATH);
    expect(page.words).not.toContain('Hand the workspace over');
    const lowered = await browser.submit(page, { user_id: id, role: 'viewer' }, `${PATH}/role`);
    expect(lowered.headers.location).toBe('/dashboard/settings');
    expect((await browser.open(PATH)).status).toBe(403);
  });

  it('shows whom the operator of the server disabled', async ({ world, owner }) => {
    const { id } = await personWith(world, 'editor');
    await world.product.store.write((tx) =>
      tx.db.updateTable('users').set({ disabled_at: world.clock.now() }).where('id', '=', id).execute(),
    );
    const page = await owner.open(PATH);
    expect(page.words).toContain('disabled by the operator of the server');
    expect(page.words).not.toContain('Hand the workspace over');
    expect((await owner.open(`${PATH}/hand-over?person=${id}`)).headers.location).toBe(PATH);
  });
});

describe('removing a person', () => {
  const question = (id: string) => `${PATH}/remove?person=${id}`;

  it.for([
    [[], 401],
    [['yes'], 200],
  ] as const)(
    'asks first, and ends their keys unless the tick %j keeps them',
    async ([keep_keys, status], { world, owner }) => {
      const { browser, id } = await personWith(world, 'admin');
      const made = await browser.submit(await browser.open('/dashboard/keys'), { name: 'Her key' }, '/dashboard/keys');
      const key = /rostra_key_\w+/.exec((await browser.follow(made)).text)![0];
      expect((await world.rest('GET /v1/users/me', undefined, { key })).status).toBe(200);
      const asked = await owner.open(question(id));
      expect(asked).toMatchObject(says(200, 'The API keys that they made are revoked: Her key Keep these keys'));
      expect(asked.text).not.toMatch(/name="keep_keys"[^>]* checked/);
      expect(await isSignedIn(browser)).toBe(true);
      const removed = await owner.submit(asked, { keep_keys }, `${PATH}/remove`);
      expect(removed.headers.location).toBe(PATH);
      expect(await rolesOf(world)).toEqual([`${OWNER.email} owner`]);
      expect((await browser.open('/dashboard')).status).toBe(302);
      expect((await world.rest('GET /v1/users/me', undefined, { key })).status).toBe(status);
      expect((await owner.submit(asked, { keep_keys }, `${PATH}/remove`)).headers.location).toBe(PATH);
    },
  );

  it('does not ask about the owner, about nobody, or about people elsewhere', async ({ world }) => {
    const stranger = await world.product.modules.users.create('eve@example.org', 'Eve');
    const { browser } = await personWith(world, 'admin');
    for (const id of [world.userId, 'usr_none', stranger!.userId]) {
      expect((await browser.open(question(id))).headers.location).toBe(PATH);
    }
    const { browser: viewer, id } = await personWith(world, 'viewer', 'Vic');
    const page = await viewer.open(question(id));
    await viewer.submit(page, { person: world.userId }, `${PATH}/remove`);
    expect(await peopleOf(world)).toHaveLength(3);
  });

  it('lets everybody but the owner leave', async ({ world, owner }) => {
    expect((await owner.open(`${PATH}/remove`)).headers.location).toBe(PATH);
    const { browser } = await personWith(world, 'viewer');
    const asked = await browser.open(`${PATH}/remove`);
    expect(asked).toMatchObject(says(200, 'You leave the workspace of Anna'));
    const left = await browser.submit(asked, {}, `${PATH}/remove`);
    expect(left).toMatchObject(says(200, 'You have left the workspace of Anna'));
    expect(browser.jar.has('rostra-session')).toBe(false);
    expect(await rolesOf(world)).toEqual([`${OWNER.email} owner`]);
    expect((await signIn(browser, { email: 'bea@example.org', password: PASSWORD })).status).toBe(400);
  });
});

describe('handing the workspace over', () => {
  it('takes the password, and the former owner stays an administrator', async ({ world, owner }) => {
    const { browser, email, id } = await personWith(world, 'editor');
    expect((await owner.open(PATH)).text).toContain(`<option value="${id}">`);
    const asked = await owner.open(`${PATH}/hand-over?person=${id}`);
    expect(asked.words).toContain('You stay an administrator.');
    expect(asked.words).toContain('You are the owner of this server too.');
    expect(asked.words).not.toContain('under Billing');
    const wrong = await owner.submit(asked, { password: 'wrong' }, `${PATH}/hand-over`);
    expect(wrong).toMatchObject(says(400, 'Your password is wrong. It is needed to hand the workspace over.'));
    expect(await rolesOf(world)).toEqual([`${OWNER.email} owner`, `${email} editor`]);
    const done = await owner.submit(wrong, { password: OWNER.password }, `${PATH}/hand-over`);
    expect(done.headers.location).toBe(PATH);
    expect(await rolesOf(world)).toEqual([`${OWNER.email} admin`, `${email} owner`]);
    expect((await owner.open(PATH)).words).not.toContain('Hand the workspace over');
    expect((await owner.submit(asked, { password: OWNER.password }, `${PATH}/hand-over`)).headers.location).toBe(PATH);
    expect((await browser.open(PATH)).words).toContain('Hand the workspace over');
  });

  it('is for the owner alone', async ({ world, owner }) => {
    expect((await owner.open(`${PATH}/hand-over?person=${world.userId}`)).headers.location).toBe(PATH);
    const { browser } = await personWith(world, 'admin');
    const { id } = await personWith(world, 'viewer', 'Vic');
    expect((await browser.open(`${PATH}/hand-over?person=${id}`)).headers.location).toBe(PATH);
    const hidden = formsOf((await browser.open(PATH)).text).find(({ action }) => action === `${PATH}/role`)!.hidden;
    const forged = await browser.post(`${PATH}/hand-over`, { ...hidden, person: id, password: PASSWORD });
    expect(forged.headers.location).toBe(PATH);
    expect(await rolesOf(world)).toContain(`${OWNER.email} owner`);
  });
});
