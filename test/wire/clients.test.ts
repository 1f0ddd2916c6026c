/** The public MCP client as npm has it, against a whole server: what they share works, the rest is named. */
import { expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../harness/webhooks/receiver.ts';
import { credentialsOf } from '../harness/platforms/bluesky-people.ts';
import { makeWorld } from '../harness/world.ts';
import { describeClients } from './clients/installed.ts';
import { sampleInput, startMcpClient } from './clients/mcp-client.ts';
import { driveMcp } from './clients/mcp-drive.ts';
import { INBOX_TOOLS, TOOLS_NEVER } from './clients/offered.ts';
import { faultsOf } from './clients/records.ts';
import { PNG, setFault } from './clients/sandbox.ts';

describeClients('mcp-socialapi over stdio', () => {
  it('drives every operation that exists, and can read what it answers', async () => {
    const world = await makeWorld();
    const { client, used, call } = await driveMcp(world);
    expect((await call('list_brands', 'brands')).data).toHaveLength(1);
    const brand = await call('create_brand', 'brand', { name: 'Café' });
    await call('update_brand', 'brand', { brand_id: brand.id, name: 'Café Rostra' });
    const { account_id } = await call('connect_account', 'connected', {
      platform: 'bluesky',
      brand_id: brand.id,
      metadata: credentialsOf(world),
    });
    await call('connect_account', 'connecting', { platform: 'bluesky' });
    const accounts = await call('list_accounts', 'accounts', { brand_id: brand.id });
    expect(accounts.data).toMatchObject([{ id: account_id, platform: 'bluesky', brand_id: brand.id }]);

    const guest = { brand_id: brand.id, platform: 'facebook', expires_in_days: 7 };
    const invited = await call('create_invite', 'invite', guest);
    expect((await fetch(invited.url, { redirect: 'manual' })).status).toBe(302);
    await call('revoke_invite', 'any', { invite_id: invited.id });
    const listed = await call('list_invites', 'invites', { brand_id: brand.id });
    expect(listed.data).toMatchObject([{ id: invited.id, is_active: false }]);

    const upload = async () => {
      const file = { media_type: 'image/png', filename: 'a b.png' };
      const { media_id, upload_url } = await call('get_media_upload_url', 'uploadUrl', file);
      const sent = await fetch(upload_url, { method: 'PUT', headers: { 'Content-Type': 'image/png' }, body: PNG });
      expect(sent.ok).toBe(true);
      await call('verify_media_upload', 'verifiedMedia', { media_id });
      return media_id as string;
    };
    const picture = await upload();
    const unused = await upload();
    expect((await call('list_media', 'media', { limit: 1 })).data).toMatchObject([{ id: unused }]);
    expect(await call('get_storage_usage', 'storage')).toMatchObject({ count: 2, used_bytes: 2 * PNG.length });
    await call('delete_media', 'any', { media_id: unused });

    expect((await call('get_constraints', 'constraints')).data).toHaveProperty('bluesky');
    const check = { text: 'x'.repeat(301), account_ids: [account_id], platforms: ['bluesky'], media_ids: [picture] };
    const checked = await call('validate_post', 'validation', check);
    expect(checked.valid).toBe(false);
    expect(checked.errors[0]).toMatchObject({ platform: 'bluesky', field: 'text' });

    const draft = await call('create_post', 'post', { text: 'a draft' });
    expect(draft.status).toBe('draft');
    const later = { scheduled_at: '2099-01-01T00:00:00Z', targets: [{ account_id }] };
    const scheduled = await call('update_post', 'post', { post_id: draft.id, text: 'later', ...later });
    const scheduled_at: unknown = expect.stringMatching(/^2099/);
    expect(scheduled).toMatchObject({ status: 'scheduled', text: 'later', scheduled_at });
    expect(await call('get_post', 'post', { post_id: draft.id })).toEqual(scheduled);

    const post = await call('create_post', 'post', {
      text: 'Hello #there',
      title: 'unused here',
      media_ids: [picture],
      visibility: 'public',
      first_comment: 'first!',
      publish_now: true,
      skip_duplicate_check: true,
      targets: [{ account_id, text: 'Hello #there, Bluesky', platform_data: {} }],
    });
    expect(post).toMatchObject({ status: 'published', targets: [{ account_id, status: 'published' }] });
    const filter = { account_ids: account_id, status: 'published', platform: 'bluesky', search: 'hello', hidden: true };
    const range = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', sort: 'created_desc', limit: 1 };
    expect((await call('list_posts', 'posts', { ...filter, ...range })).data).toMatchObject([{ id: post.id }]);
    const first = await call('list_posts', 'posts', { limit: 1 });
    const second = await call('list_posts', 'posts', { limit: 1, cursor: first.next_cursor });
    expect(new Set([first.data[0].id, second.data[0].id])).toEqual(new Set([draft.id, post.id]));
    expect(second.next_cursor).toBe('');
    const metrics = await call('get_post_metrics', 'metrics', { post_id: post.id });
    expect(metrics.data).toMatchObject({ post_id: post.id, targets: [{ platform: 'bluesky', metrics: { likes: 0 } }] });
    await call('unpublish_post', 'any', { post_id: post.id, account_id });
    await call('delete_post', 'any', { post_id: draft.id });

    // A grant that is taken back makes every target fail; once the person has connected again, it is retried.
    const short = (await call('create_brand', 'brand', { name: 'short-lived' })).id;
    await call('delete_brand', 'any', { brand_id: short, confirm: 'short-lived' });
    const { id: brand_id } = await call('create_brand', 'brand', { name: 'second' });
    const login = () => ({ platform: 'bluesky', brand_id, metadata: credentialsOf(world, 1) });
    const second_account = (await call('connect_account', 'connected', login())).account_id as string;
    await setFault(world, login().metadata.identifier, 'revoked');
    const doomed = { text: 'never mind', publish_now: true, targets: [{ account_id: second_account }] };
    const failed = await client.call('create_post', doomed);
    expect(failed).toMatchObject({ isError: true, body: { error: { code: 'post.publish_failed' }, status: 'failed' } });
    expect(faultsOf('post', failed.body)).toEqual([]);
    expect((await call('list_accounts', 'accounts', { brand_id })).data[0].status).toBe('reconnect_required');
    expect((await call('connect_account', 'connected', login())).account_id).toBe(second_account);
    await call('retry_post', 'any', { post_id: failed.body.id });
    await world.settle();
    expect(await call('get_post', 'post', { post_id: failed.body.id })).toMatchObject({ status: 'published' });

    const receiver = await startReceiver();
    onTestFinished(receiver.close);
    const events = ['post.published', 'post.failed'];
    const hook = await call('create_webhook', 'createdWebhook', { url: receiver.url, events });
    expect((await call('list_webhooks', 'webhooks')).data).toMatchObject([{ id: hook.id, events }]);
    const changed = { webhook_id: hook.id, url: `${receiver.url}/2`, events: ['post.published'], is_active: true };
    await call('update_webhook', 'webhook', changed);
    expect(await call('get_webhook', 'webhook', { webhook_id: hook.id })).toMatchObject({ events: ['post.published'] });
    const test = { webhook_id: hook.id, event_type: 'post.published', payload: { hello: 'there' } };
    expect(await call('test_webhook', 'any', test)).toMatchObject({ status: 'delivered', response_status_code: 204 });
    await call('create_post', 'post', { text: 'heard', publish_now: true, targets: [{ account_id }] });
    await world.settle();
    expect(receiver.received.map(({ body }) => body.event ?? 'the test')).toEqual(['the test', 'post.published']);
    const wanted = { webhook_id: hook.id, status: 'delivered', event_type: 'post.published', limit: 1 };
    const { data } = await call('list_webhook_deliveries', 'deliveries', wanted);
    const delivery = { webhook_id: hook.id, delivery_id: data[0].id };
    const { attempts } = await call('get_webhook_delivery', 'delivery', delivery);
    expect(attempts).toMatchObject([{ status_code: 204 }]);
    await call('retry_webhook_delivery', 'any', delivery);
    await world.settle();
    expect(receiver.received).toHaveLength(3);
    await call('delete_webhook', 'any', { webhook_id: hook.id });
    expect((await call('list_webhooks', 'webhooks')).data).toEqual([]);

    const { id: export_id } = await call('create_export', 'any', { account_id, include_transcript: false });
    await world.settle();
    expect(await call('get_export', 'any', { export_id })).toMatchObject({ status: 'completed' });
    expect((await call('get_export_videos', 'any', { export_id })).videos).not.toEqual([]);
    expect((await call('list_exports', 'any', { status: 'completed' })).exports).toHaveLength(1);

    const fresh = await call('create_key', 'createdKey', { name: 'for a script' });
    expect((await call('list_keys', 'keys')).data).toHaveLength(2);
    expect((await world.rest('GET /v1/usage', undefined, { key: fresh.raw_key })).status).toBe(200);
    await call('revoke_key', 'any', { key_id: fresh.id });
    expect((await world.rest('GET /v1/usage', undefined, { key: fresh.raw_key })).status).toBe(401);

    expect(await call('get_usage', 'usage')).toMatchObject({ posts_used: 4 });
    await call('patch_me', 'user', { onboarding: false });
    expect(await call('get_me', 'user')).toMatchObject({ onboarding: false, email: 'owner@example.org' });
    await call('disconnect_account', 'any', { account_id: second_account });
    expect((await call('list_accounts', 'accounts')).data).toHaveLength(1);
    await call('delete_me', 'any', { confirm: 'owner@example.org' });
    const gone = { error: { code: 'auth.user_not_found' } };
    expect(await client.call('get_me')).toMatchObject({ isError: true, body: gone });

    const offered = (await client.list()).map(({ name }) => name);
    expect(offered).toHaveLength(75);
    expect([...used, ...INBOX_TOOLS, ...TOOLS_NEVER].sort()).toEqual(offered.sort());
  });

  it('meets a missing route with every tool that is named as missing, and with no other', async () => {
    const world = await makeWorld();
    const { client } = await driveMcp(world);
    const missing: string[] = [];
    for (const tool of await client.list()) {
      // After this one nobody would be let in any more.
      if (tool.name === 'delete_me') continue;
      const { isError, body } = await client.call(tool.name, sampleInput(tool));
      if (isError && (body as { error?: { code?: string } }).error?.code === 'http.404') missing.push(tool.name);
    }
    expect(missing.sort()).toEqual(TOOLS_NEVER.toSorted());
  });

  it('hands the error of a call to the assistant as it is', async () => {
    const world = await makeWorld();
    const { client } = await driveMcp(world);
    expect(await client.call('get_post', { post_id: 'post_none' })).toMatchObject({
      isError: true,
      body: { error: { code: 'post.not_found', message: expect.any(String) }, request_id: expect.any(String) },
    });
    const stranger = await startMcpClient(world.root, 'rostra_key_none');
    onTestFinished(stranger.close);
    const refused = { isError: true, body: { error: { code: 'auth.invalid_key' } } };
    expect(await stranger.call('get_usage')).toMatchObject(refused);
  });
});
