import { z } from 'zod';
import { briefList } from '#call/detail.ts';
import { time } from '../fields.ts';
import { PostPage, type Target } from './post.ts';

type TargetOutput = z.output<typeof Target>;

/** What became of targets, those together of which it is the same; an account is named where its platform comes twice. */
function targetsInBrief(targets: readonly TargetOutput[]): string[] {
  const nameOf = ({ platform, account_id }: TargetOutput) =>
    targets.filter((other) => other.platform === platform).length === 1 ? platform : `${platform} ${account_id}`;
  const stateOf = ({ status, error }: TargetOutput, code = error?.code) =>
    code === undefined ? status : `${status} (${code})`;
  // Platforms refuse for the same reason by codes that differ in their name alone.
  const sharedStateOf = (target: TargetOutput) =>
    stateOf(target, target.error?.code.replace(`platform.${target.platform}.`, 'platform.*.'));
  const groups = Map.groupBy(targets, sharedStateOf);
  return [...groups].map(([shared, same]) => {
    const [first, ...others] = same as [TargetOutput, ...TargetOutput[]];
    return `${same.map(nameOf).join(', ')}: ${others.length === 0 ? stateOf(first) : shared}`;
  });
}

/** Brief posts: time, and the outcome of each target. */
export const postsInBrief = briefList(PostPage, 'data', {
  fields: ['id', 'status', 'published_at', 'scheduled_at', 'created_at', 'text'],
  text: 'text',
  made: {
    shape: {
      scheduled_at: time.nullable(),
      created_at: time.nullable(),
      targets: z
        .array(z.string())
        .describe('The platforms (and accounts, of several), their status, and why they failed.'),
    },
    of: ({ published_at, scheduled_at, created_at, targets }) => ({
      scheduled_at: published_at === null ? scheduled_at : null,
      created_at: (published_at ?? scheduled_at) === null ? created_at : null,
      targets: targetsInBrief(targets),
    }),
  },
});
