import { expect } from 'vitest';
import { interactionId, type InteractionType } from '#engine/inbox/record/ids.ts';
import type { IdShapes } from '#platforms/platform.ts';
import { callMcp } from '#test/harness/calls/operations.ts';
import type { Stage } from '../stage.ts';
import type { Scene, Subject } from '../subject.ts';

/** What stands for something else in an address, or leads out of its part of it. */
const NO_IDS = ['me', 'act_1', '-', '..', '1/../me', '%2F', '1?fields=id', '1 '];

const OURS: Partial<Record<keyof IdShapes, InteractionType>> = { comment: 'comment', review: 'review' };

/** The operations that take ids of a platform, and what each of these is of. */
function operationsOf({ account, post }: Scene) {
  const account_id = account;
  const below = { account_id, post_id: post };
  const at = (name: string, thing: keyof IdShapes, field: string, input: object) => ({ name, thing, field, input });
  return [
    at('list_post_comments', 'post', 'post_id', { account_id }),
    at('list_account_post_comments', 'post', 'post_id', { account_id }),
    at('reply_to_comment', 'post', 'post_id', { account_id, text: 'Yes' }),
    at('get_comment_replies', 'comment', 'comment_id', below),
    at('reply_to_comment', 'comment', 'comment_id', { ...below, text: 'Yes' }),
    ...['delete_comment', 'hide_comment', 'unhide_comment', 'like_comment', 'unlike_comment'].map((name) =>
      at(name, 'comment', 'comment_id', below),
    ),
    at('private_reply_to_comment', 'comment', 'comment_id', { ...below, text: 'Yes' }),
    at('reply_to_mention', 'post', 'media_id', { account_id, text: 'Yes' }),
    at('reply_to_review', 'review', 'review_id', { account_id, text: 'Yes' }),
    at('update_review_reply', 'review', 'review_id', { account_id, text: 'Yes' }),
    at('delete_review_reply', 'review', 'review_id', { account_id }),
    at('get_whatsapp_template', 'template', 'template_id', { account_id }),
    at('update_whatsapp_template', 'template', 'template_id', {
      account_id,
      components: [{ type: 'BODY', text: 'Yes' }],
    }),
  ];
}

/** Expects that nothing is asked of the platform by what cannot be an id of it. */
export async function expectNoStrangeIds(stage: Stage, scene: Scene, { platform }: Subject): Promise<void> {
  const { comments, reviews, templates, ids = {} } = platform;
  const has = { post: comments, comment: comments, review: reviews, template: templates };
  const things = (Object.keys(has) as (keyof typeof has)[]).filter((thing) => has[thing] !== undefined);
  expect(Object.keys(ids)).toEqual(expect.arrayContaining(things));
  const tried = new Set<keyof IdShapes>();
  for (const { name, thing, field, input } of operationsOf(scene).filter((one) => things.includes(one.thing))) {
    const type = OURS[thing];
    const wrapped = type === undefined ? [] : NO_IDS.map((id) => interactionId(type, platform.slug, id));
    // All operations look for a thing in the same way.
    for (const id of tried.has(thing) ? ['me', 'act_1'] : [...NO_IDS, ...wrapped]) {
      const before = stage.gate.passed();
      const { code } = await callMcp(stage.world, name, { ...input, [field]: id });
      const said = [name, id, code, stage.gate.passed() - before];
      expect(said).toEqual([name, id, expect.stringMatching(/not_found$|not_supported$/), 0]);
    }
    tried.add(thing);
  }
}
