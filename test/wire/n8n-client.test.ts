/** The public n8n nodes as npm has them, against a whole server: what they share works, the rest is named. */
import { expect, it } from 'vitest';
import { makeWorld } from '../harness/world.ts';
import { describeClients } from './clients/installed.ts';
import { loadNodes, makeTrigger, operationsOf, runNode, testCredential } from './clients/n8n.ts';
import { credentialsFor, driveNode, startWorkflow } from './clients/n8n-drive.ts';
import { INBOX_OPERATIONS } from './clients/offered.ts';
import { faultsOf } from './clients/records.ts';
import { PNG, setFault } from './clients/sandbox.ts';

describeClients('n8n-nodes-socialapi in a workflow', () => {
  it('drives every operation that exists, and can read what it answers', async () => {
    const world = await makeWorld();
    const { used, items, run } = driveNode(world);
    expect(faultsOf('usage', await testCredential(credentialsFor(world)))).toEqual([]);
    await expect(testCredential({ ...credentialsFor(world), apiKey: 'no key' })).rejects.toThrow('401');

    const brand = await run('brand create', 'brand', { name: 'Café' });
    await run('brand update', 'brand', { brandId: brand.id, name: 'Café Rostra' });
    expect((await items('brand getAll', 'brand')).map(({ name }) => name)).toContain('Café Rostra');

    await run('account connect', 'connecting', { platform: 'bluesky' });
    const { id: account_id } = await world.connect(0, brand.id);
    expect(await run('account getAll', 'account', { brand_id: brand.id })).toMatchObject({ id: account_id });

    const file = { bytes: PNG, fileName: 'a b.png', mimeType: 'image/png' };
    const picture = await run('media upload', 'verifiedMedia', {}, file);
    expect(picture).toMatchObject({ status: 'ready', content_type: 'image/png', size_bytes: PNG.length });
    const renamed = { uploadOptions: { filename: 'other.png', media_type: 'image/png' } };
    const unused = await run('media upload', 'verifiedMedia', renamed, file);
    const copied = await run('media upload', 'verifiedMedia', { source: 'url', url: picture.url });
    expect(copied).toMatchObject({ content_type: 'image/png', size_bytes: PNG.length });
    expect(await run('media storage', 'storage')).toMatchObject({ count: 3 });
    expect(await items('media getAll', 'mediaItem', { returnAll: true })).toHaveLength(3);
    await run('media getAll', 'mediaItem', { limit: 1 });
    await run('media delete', 'any', { mediaId: unused.id });

    const targets = { target: [{ account_id, page_id: '' }] };
    const checked = { text: 'fine', targets, validateMediaIds: picture.id };
    expect(await run('post validate', 'validation', checked)).toMatchObject({ valid: true });
    await run('post getConstraints', 'constraints');
    const draft = await run('post create', 'post', { text: 'from a workflow', targets });
    expect(draft.status).toBe('draft');
    const later = { updateFields: { text: 'later', scheduled_at: '2099-01-01T00:00:00.000Z' } };
    const scheduled = await run('post update', 'post', { postId: draft.id, ...later });
    expect(scheduled).toMatchObject({ status: 'scheduled', text: 'later' });
    expect(await run('post publish', 'post', { postId: draft.id })).toMatchObject({ status: 'published' });
    expect(await run('post get', 'post', { postId: draft.id })).toMatchObject({ status: 'published' });
    const metrics = await run('post getMetrics', 'metrics', { postId: draft.id });
    expect(metrics.data.targets).toMatchObject([{ metrics: { likes: 0 } }]);
    const additionalFields = {
      title: 'a title',
      media_ids: `${picture.id}, ${copied.id}`,
      visibility: 'public',
      first_comment: '1st',
      publish_now: true,
      skip_duplicate_check: true,
    };
    const post = await run('post create', 'post', { text: 'with media', targets, additionalFields });
    expect(post).toMatchObject({ status: 'published', media_ids: [picture.id, copied.id] });
    const soon = { text: 'soon', targets, additionalFields: { scheduled_at: '2098-01-01T00:00:00.000Z' } };
    const gone = await run('post create', 'post', soon);
    const filters = { account_ids: account_id, status: 'published', platform: 'bluesky', search: 'media' };
    const range = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
    expect(await run('post getAll', 'post', { filters: { ...filters, ...range } })).toMatchObject({ id: post.id });
    await run('post unpublish', 'any', { postId: post.id, account_ids: account_id });
    await run('post unpublish', 'any', { postId: draft.id });
    await run('post delete', 'any', { postId: gone.id });

    await setFault(world, 'alice.sandbox.test', 'revoked');
    const doomed = await run('post create', 'post', { text: 'never mind', targets });
    const refused = await runNode('post publish', { postId: doomed.id }, credentialsFor(world)).catch(statusOf);
    expect(refused).toBe('422');
    await world.connect(0, brand.id);
    await run('post retry', 'any', { postId: doomed.id });
    await world.settle();
    expect(await run('post get', 'post', { postId: doomed.id })).toMatchObject({ status: 'published' });

    // One page is what a client asks for; all of them is what it walks to by the cursor.
    for (let n = 0; n < 105; n += 1) await world.rest('POST /v1/posts', { text: `draft ${n}` });
    expect(await items('post getAll', 'post', { limit: 50 })).toHaveLength(50);
    const all = await items('post getAll', 'post', { returnAll: true, filters: { status: 'draft' } });
    expect(new Set(all.map(({ id }) => id)).size).toBe(105);

    await run('account disconnect', 'any', { accountId: account_id });
    await run('brand delete', 'any', { brandId: brand.id });

    const offered = operationsOf(loadNodes().node);
    expect(offered).toHaveLength(44);
    expect([...used, ...INBOX_OPERATIONS].sort()).toEqual(offered.sort());
  });

  it('finds a route for every operation', async () => {
    const world = await makeWorld();
    const missing: string[] = [];
    for (const operation of operationsOf(loadNodes().node)) {
      const outcome = await runNode(operation, sampleValues(operation), credentialsFor(world)).catch(codeOf);
      if (outcome === 'http.404' || outcome === 'http.405') missing.push(operation);
    }
    expect(missing).toEqual([]);
  });

  it('registers its trigger, starts runs from what really arrives, and goes away', async () => {
    const world = await makeWorld();
    const { id: account_id } = await world.connect();
    const { trigger, answered, runs } = await startWorkflow(world, { events: ['post.published'] });
    const publish = async (text: string) => {
      const { body } = await world.rest('POST /v1/posts', { text, account_ids: [account_id], publish_now: true });
      await world.settle();
      return body.id as string;
    };

    const offered = (await trigger.listEvents()).map(({ value }) => value);
    expect(offered).toEqual(expect.arrayContaining(['post.published', 'post.failed', 'comment.received']));
    expect(await trigger.checkExists()).toBe(false);
    await trigger.create();
    expect(trigger.staticData).toEqual({ webhookId: expect.any(String), webhookSecret: expect.any(String) });
    expect(await trigger.checkExists()).toBe(true);

    const first = await publish('runs a workflow');
    expect(runs.map(({ json }) => json)).toMatchObject([{ event: 'post.published', data: { post_id: first } }]);
    expect(answered.every((status) => status === 200)).toBe(true);

    // The signature is what lets it in: with another secret the same delivery is refused, and tried again later.
    const secret = trigger.staticData['webhookSecret'];
    trigger.staticData['webhookSecret'] = '0'.repeat(64);
    const second = await publish('knocks in vain');
    expect(answered.at(-1)).toBe(401);
    expect(runs).toHaveLength(1);
    trigger.staticData['webhookSecret'] = secret;
    await world.pass(60_000);
    expect(runs.map(({ json }) => json.data.post_id)).toEqual([first, second]);

    await trigger.remove();
    expect(trigger.staticData).toEqual({});
    expect(await trigger.checkExists()).toBe(false);
    expect((await world.rest('GET /v1/webhooks')).body.data).toEqual([]);
    await publish('after it has gone');
    expect(runs).toHaveLength(2);
  });

  it('keeps to one account where its trigger was told so', async () => {
    const world = await makeWorld();
    const receiver = await world.receive(['account.connected']);
    const { id: account_id } = await world.connect();
    await world.settle();
    const { headers, raw } = receiver.received[0]!;
    const heard = async (accountId: string) => {
      const trigger = makeTrigger(receiver.url, { events: ['account.connected'], accountId }, credentialsFor(world));
      trigger.staticData['webhookSecret'] = receiver.secret;
      return trigger.receive(headers, Buffer.from(raw));
    };
    expect(await heard(account_id)).toMatchObject({ status: 200, run: [{ json: { data: { account_id } } }] });
    expect(await heard('acc_of_somebody_else')).toEqual({ status: 200 });
  });
});

/** Values of things that do not exist, for whatever the operation insists on. */
function sampleValues(operation: string): Record<string, string> {
  const [resource, name] = operation.split(' ');
  const shown = loadNodes().node.description.properties.filter(({ required, displayOptions }) => {
    const { resource: resources = [], operation: operations = [] } = displayOptions?.show ?? {};
    return required && resources.includes(resource) && operations.includes(name);
  });
  return Object.fromEntries(shown.map((property) => [property.name, 'none_1']));
}

/** What a person sees of a failed step, and the code in the body that n8n keeps beside it. */
type NodeError = { httpCode?: string; description?: string; context?: { data?: { error?: { code?: string } } } };
const statusOf = ({ httpCode }: NodeError) => httpCode;
const codeOf = ({ context }: NodeError) => context?.data?.error?.code;
