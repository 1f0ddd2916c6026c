import { HOUR } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { list, publish } from '../harness/calls/rest.ts';
import { png } from '../harness/media-samples.ts';
import type { Json } from '../harness/world.ts';
import type { Stage } from './stage.ts';

/** Calls a tool as an assistant does; it answers what the model is shown. */
export type Ask = (tool: string, input?: object) => Promise<Json>;

/** A job that a person gives an assistant, as the calls by which it is done. They know nothing but what was answered. */
export type Job = Readonly<{
  name: string;
  /** What happens in the world before. */
  before?(stage: Stage): Promise<void>;
  run(ask: Ask, stage: Stage): Promise<void>;
}>;

const FRIDAY = '2026-01-16';
const LATE = { text: 'Late bread, half price.', publish_now: true };

const idsOf = ({ data }: Json): readonly string[] => data.map(({ id }: Json) => id as string);

/** The messages that the simulators hold of us. */
async function sentBy({ facebook, whatsapp }: Stage): Promise<number> {
  const messages = await Promise.all([facebook.look('messages'), whatsapp.look('messages')]);
  const comments: readonly Json[] = await facebook.look('comments');
  return [...messages.flat(), ...comments].filter(({ text, message }: Json) => (text ?? message) === 'Yes, it is.')
    .length;
}

/** The jobs. Each finds the world as the one before has left it. */
export const JOBS: readonly Job[] = [
  {
    name: 'a campaign on five platforms',
    async run(ask) {
      const { data } = await ask('list_accounts');
      const account_ids = (data as Json[])
        .filter(({ platform }) => platform !== 'whatsapp')
        .map(({ id }) => id as string);
      expect(Object.keys((await ask('get_constraints', { account_ids })).accounts)).toEqual(account_ids);
      const text = 'Rye is back from Monday on.';
      expect(await ask('validate_post', { text, account_ids })).toMatchObject({ valid: true });
      const post = await ask('create_post', { text, account_ids, publish_now: true });
      expect(post.targets.map(({ status }: Json) => status)).toEqual(Array.from({ length: 5 }, () => 'published'));
    },
  },
  {
    name: 'a triage with three answers',
    async before(stage) {
      const { world, facebook, whatsapp, accounts } = stage;
      const { body } = await publish(world, accounts.facebook, { text: 'Fresh bread.' });
      const on = body.targets[0].platform_post_id as string;
      await facebook.act('comment', { person: 'fred.sandbox.test', on, message: 'Is it rye?' });
      const [page] = await list(world, `/v1/accounts/${accounts.facebook}/pages`);
      const message = { person: 'mia.sandbox.test', page: page!.platform_page_id, text: 'Are you open on Sunday?' };
      await facebook.act('message', message);
      await whatsapp.does('message', { text: 'Is my order ready?' });
      world.clock.move(1000);
    },
    async run(ask, stage) {
      const { data } = await ask('list_unanswered');
      const waiting = data as Json[];
      expect(waiting.map(({ kind, platform }) => `${platform} ${kind}`).toSorted()).toEqual([
        'facebook comment',
        'facebook conversation',
        'whatsapp conversation',
      ]);
      for (const { kind, id } of waiting)
        if (kind === 'conversation') await ask('list_messages', { conversation_id: id });
      for (const { answer } of waiting) await ask(answer.tool, { ...answer.arguments, text: 'Yes, it is.' });
      await stage.world.settle();
      expect(await sentBy(stage)).toBe(3);
    },
  },
  {
    name: 'a second triage right after it',
    async run(ask, stage) {
      for (const { answer } of (await ask('list_unanswered')).data as Json[])
        await ask(answer.tool, { ...answer.arguments, text: 'Yes, it is.' });
      expect(await sentBy(stage)).toBe(3);
    },
  },
  {
    name: 'why a post failed',
    async before({ world, linkedin, accounts }) {
      const [page] = await list(world, `/v1/accounts/${accounts.linkedin}/pages`);
      await linkedin.does('post', { person: page!.platform_page_id, text: LATE.text });
      await world.pass(5 * 60_000);
      expect((await publish(world, accounts.linkedin, LATE)).status).toBe(422);
    },
    async run(ask) {
      const [post_id] = idsOf(await ask('list_posts', { status: ['failed'], sort: 'created_desc' }));
      const { targets } = await ask('get_post', { post_id });
      expect(targets[0].error).toMatchObject({
        code: 'platform.linkedin.duplicate',
        message: expect.stringMatching(/ .+\.$/),
        platform_status: expect.any(Number),
      });
      const { data } = await ask('list_post_logs', { post_id });
      expect(data[0]).toMatchObject({ status: 'failed' });
    },
  },
  {
    name: 'the metrics of a month',
    async before({ world }) {
      for (let hours = 0; hours < 6; hours += 1) await world.pass(HOUR);
    },
    async run(ask) {
      const said = await ask('get_analytics', { from: '2025-12-16', to: '2026-01-15', group_by: 'platform' });
      expect(said).toMatchObject({ totals: { published: 6 }, freshness: expect.anything() });
      expect(said.groups.length).toBeGreaterThan(1);
    },
  },
  {
    name: 'an invite for a customer',
    async run(ask) {
      const [brand_id] = idsOf(await ask('list_brands'));
      const { url } = await ask('create_invite', { brand_id, platform: 'instagram', expires_in_days: 7 });
      expect((await fetch(url, { redirect: 'manual' })).status).toBe(302);
    },
  },
  {
    name: 'a local picture without a shell',
    async run(ask, { accounts }) {
      const file = { filename: 'bread.png', media_type: 'image/png' };
      const { media_id, upload_page } = await ask('get_media_upload_url', file);
      const chosen = new FormData();
      chosen.set('file', new Blob([png()]), 'IMG_1.png');
      expect((await fetch(upload_page, { method: 'POST', body: chosen })).status).toBe(200);
      expect(await ask('verify_media_upload', { media_id })).toMatchObject({ status: 'ready' });
      const post = { text: 'Look at it.', media_ids: [media_id], account_ids: [accounts.bluesky], publish_now: true };
      expect(await ask('create_post', post)).toMatchObject({ status: 'published' });
    },
  },
  {
    name: 'an answer to a review on Google',
    async before({ world, google, accounts }) {
      await google.review(accounts.google, 2, 'The bread was cold.');
      await world.settle();
    },
    async run(ask, { google }) {
      const [{ answer, rating }] = (await ask('list_unanswered', { kind: 'review' })).data;
      expect(rating).toBe(2);
      await ask(answer.tool, { ...answer.arguments, text: 'We are sorry.' });
      expect((await google.look('reviews'))[0].reply.comment).toBe('We are sorry.');
    },
  },
  {
    name: 'a template on WhatsApp',
    async before({ world, whatsapp, accounts }) {
      const components = [{ type: 'BODY', text: 'Your order {{1}} is ready.', example: { body_text: [['A-17']] } }];
      const draft = { name: 'order_ready', language: 'en_US', category: 'UTILITY', components };
      const made = await world.rest(`POST /v1/platforms/whatsapp/accounts/${accounts.whatsapp}/templates`, draft);
      expect(made.status).toBe(201);
      const [{ id: template }] = (await whatsapp.look('templates')) as readonly [Json];
      await whatsapp.act('review', { template, event: 'APPROVED' });
    },
    async run(ask, { world, whatsapp, accounts: { whatsapp: account_id } }) {
      const [{ id, name, language }] = (await ask('list_whatsapp_templates', { account_id })).data;
      await ask('get_whatsapp_template', { template_id: id });
      const { digits } = await whatsapp.customer('Bruno Brandt');
      const components = JSON.stringify([{ type: 'body', parameters: [{ type: 'text', text: 'B-4' }] }]);
      await ask('send_whatsapp_template', { account_id, to: digits, template_name: name, language, components });
      await world.settle();
      expect((await whatsapp.look('messages')).some(({ type }) => type === 'template')).toBe(true);
    },
  },
  {
    name: 'five posts from Friday to Monday',
    async before({ world, accounts }) {
      for (let hour = 10; hour < 15; hour += 1) {
        const post = { text: `Bread at ${hour}.`, publish_now: false, scheduled_at: `${FRIDAY}T${hour}:00:00Z` };
        expect((await publish(world, accounts.bluesky, post)).status).toBe(201);
      }
    },
    async run(ask) {
      const day = { from: `${FRIDAY}T00:00:00Z`, to: `${FRIDAY}T23:59:59Z` };
      const { data } = await ask('list_posts', { status: ['scheduled'], ...day });
      const monday = (time: string) => time.replace('-16T', '-19T');
      const posts = data.map(({ id, scheduled_at }: Json) => ({ post_id: id, scheduled_at: monday(scheduled_at) }));
      expect(await ask('reschedule_posts', { posts, dry_run: true })).toMatchObject({ failed: 0 });
      expect(await ask('reschedule_posts', { posts })).toMatchObject({ rescheduled: 5, failed: 0 });
    },
  },
  {
    name: 'undo: a public post and a scheduled one',
    async run(ask) {
      const { data } = await ask('list_posts', { sort: 'created_desc', limit: 10 });
      const newest = (wanted: string) => (data as Json[]).find(({ status }) => status === wanted).id as string;
      expect(await ask('unpublish_post', { post_id: newest('published') })).toMatchObject({ unpublished_count: 1 });
      expect(await ask('delete_post', { post_id: newest('scheduled') })).toMatchObject({ deleted: true });
    },
  },
];
