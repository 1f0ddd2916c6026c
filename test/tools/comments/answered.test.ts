import { describe, expect, it } from 'vitest';
import { aComment, aMention, lost } from '../../harness/platforms/social.ts';
import { call } from '../../harness/calls/operations.ts';
import { makeStage } from '../../harness/worlds/social.ts';

type Listed = Readonly<{ platform_id: string; answered: boolean }>;

const answeredIn = (rows: readonly Listed[]) => rows.filter(({ answered }) => answered).map((row) => row.platform_id);

/** A post with three comments that were pushed. */
async function scene() {
  const stage = await makeStage();
  const { world, net, tell } = stage;
  const account = await stage.connect('twitter');
  const comments = ['c1', 'c2', 'c3'].map((platform_id) => aComment('post-1', { platform_id }));
  net.comments.set('post-1', [...comments]);
  await tell(
    account,
    comments.map((comment) => ({ kind: 'comment', comment }) as const),
  );
  /** A reply of ours that is written on the platform itself. */
  const reply = (parent_id: string, platform_id = `our ${parent_id}`) =>
    aComment('post-1', { platform_id, parent_id, is_owner: true });
  const answered = async () => {
    const { body } = await call(world, 'list_post_comments', { post_id: 'post-1', account_id: account.id });
    return answeredIn(body.data);
  };
  const mentioned = async () => {
    const { body } = await call(world, 'get_mentions', { account_id: account.id });
    return answeredIn(body.data).toSorted();
  };
  return { ...stage, account, reply, answered, mentioned };
}

describe('what was answered', () => {
  it('is a comment that was replied to, in public or in private', async () => {
    const { world, net, answered } = await scene();
    expect(await answered()).toEqual([]);
    net.script('ours', 'comments.reply', lost);
    await call(world, 'reply_to_comment', { post_id: 'post-1', comment_id: 'c1', text: 'Thanks' });
    await call(world, 'private_reply_to_comment', { post_id: 'post-1', comment_id: 'c3', text: 'Thanks' });
    await call(world, 'reply_to_comment', { post_id: 'post-1', text: 'Thanks, all' });
    expect(await answered()).toEqual(['c1', 'c3']);
  });

  it('is a comment below which the platform shows a reply of ours, in whatever order both come', async () => {
    const { world, net, account, tell, reply, answered } = await scene();
    await tell(account, [{ kind: 'comment', comment: reply('c1') }]);
    expect(await answered()).toEqual(['c1']);
    // Read live, as of another person's answer nothing follows.
    net.comments.get('post-1')!.push(reply('c2'), aComment('post-1', { parent_id: 'c3' }));
    for (const comment_id of ['c2', 'c3']) await call(world, 'get_comment_replies', { post_id: 'post-1', comment_id });
    expect(await answered()).toEqual(['c1', 'c2']);
    await tell(account, [{ kind: 'comment', comment: reply('c4') }]);
    net.comments.get('post-1')!.push(aComment('post-1', { platform_id: 'c4' }));
    expect(await answered()).toEqual(['c1', 'c2', 'c4']);
  });

  it('waits again when the last reply of ours is deleted', async () => {
    const { account, tell, reply, answered } = await scene();
    await tell(account, [
      { kind: 'comment', comment: reply('c1') },
      { kind: 'comment', comment: reply('c1', 'another') },
    ]);
    await tell(account, [{ kind: 'comment_gone', platform_id: 'our c1' }]);
    expect(await answered()).toEqual(['c1']);
    await tell(account, [{ kind: 'comment_gone', platform_id: 'another' }]);
    expect(await answered()).toEqual([]);
  });

  it('stays answered in private when the public reply is deleted', async () => {
    const { world, account, tell, reply, answered } = await scene();
    await tell(account, [{ kind: 'comment', comment: reply('c2') }]);
    for (const comment_id of ['c1', 'c2']) {
      await call(world, 'private_reply_to_comment', { post_id: 'post-1', comment_id, text: 'Thanks' });
    }
    await tell(account, [{ kind: 'comment', comment: reply('c1') }]);
    await tell(account, [
      { kind: 'comment_gone', platform_id: 'our c1' },
      { kind: 'comment_gone', platform_id: 'our c2' },
    ]);
    expect(await answered()).toEqual(['c1', 'c2']);
  });

  it('is a mention, by whichever of its ids it was answered', async () => {
    const { world, net, account, tell, reply, mentioned } = await scene();
    const elsewhere = { platform_post_id: 'elsewhere' };
    net.mentions.push(
      aMention({ platform_id: 'm1', ...elsewhere, comment_id: 'c7' }),
      aMention({ platform_id: 'm2', ...elsewhere }),
      aMention({ platform_id: 'm3', ...elsewhere, comment_id: 'c8' }),
      // The comment below our own post that mentions us, as a comment and as a post of its own.
      aMention({ platform_id: 'm4', platform_post_id: 'post-1', comment_id: 'c1' }),
      aMention({ platform_id: 'm5', platform_post_id: 'c1' }),
    );
    expect(await mentioned()).toEqual([]);
    const say = (input: object) =>
      call(world, 'reply_to_mention', { account_id: account.id, text: 'Thanks', ...input });
    await say({ mention_id: 'm1' });
    expect(await mentioned()).toEqual(['m1']);
    await say({ media_id: 'elsewhere' });
    expect(await mentioned()).toEqual(['m1', 'm2']);
    await call(world, 'reply_to_comment', { post_id: 'post-1', comment_id: 'c1', text: 'Thanks' });
    expect(await mentioned()).toEqual(['m1', 'm2', 'm4', 'm5']);
    // What mentions us in a comment that is answered already is, too.
    await tell(account, [{ kind: 'comment', comment: reply('c2') }]);
    net.mentions.push(aMention({ platform_id: 'm6', platform_post_id: 'post-1', comment_id: 'c2' }));
    expect(await mentioned()).toEqual(['m1', 'm2', 'm4', 'm5', 'm6']);
  });

  it('stays a mention that was replied to when a comment of ours in its place is deleted', async () => {
    const { world, net, account, tell, reply, mentioned } = await scene();
    net.mentions.push(aMention({ platform_id: 'm1', platform_post_id: 'post-1', comment_id: 'c1' }));
    await mentioned();
    await tell(account, [{ kind: 'comment', comment: reply('c1') }]);
    await call(world, 'reply_to_mention', { account_id: account.id, text: 'Thanks', mention_id: 'm1' });
    await tell(account, [{ kind: 'comment_gone', platform_id: 'our c1' }]);
    // Seen later, it is as answered as the comment it stands in.
    net.mentions.push(aMention({ platform_id: 'm2', platform_post_id: 'c1' }));
    expect(await mentioned()).toEqual(['m1', 'm2']);
  });
});
