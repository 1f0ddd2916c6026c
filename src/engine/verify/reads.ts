import type { AccountCall } from '#platforms/call.ts';
import type { SkippedPage } from '#platforms/inbound.ts';
import type { Platform } from '#platforms/platform.ts';
import type { Use, Work } from './deps.ts';
import { refusedCounts, refusedParts } from './eventually.ts';
import type { Trail, Verdict } from './trail.ts';

const READABLE = 'an answer that the connector can read';
/** Entries requested of each list. */
const MOST = 5;

/** A list, with the parts that were refused. */
type Listed = Readonly<{ items: readonly unknown[]; skipped?: readonly SkippedPage[] }>;
type Read = (call: AccountCall) => Promise<unknown>;

/** Read-only requests, by name; undefined if the platform lacks them. */
const READS: readonly (readonly [
  name: string,
  read: (platform: Platform, page: string | undefined) => Read | undefined,
])[] = [
  ['limits', ({ limits }) => limits],
  ['creator', ({ creatorInfo }) => creatorInfo],
  ['pages', ({ pages }) => pages && (async (call) => (await pages.read(call)).pages)],
  ['boards', ({ posts }) => posts?.boards],
  ['mentions', ({ mentions }, page) => mentions?.list && ((call) => mentions.list!(call, { limit: MOST, page }))],
  ['reviews', ({ reviews }) => reviews && ((call) => reviews.list(call, { limit: MOST }))],
  ['number', ({ numbers }) => numbers?.status],
  ['profile of the number', ({ numbers }) => numbers?.profile],
  ['templates', ({ templates }) => templates && ((call) => templates.list(call, { limit: MOST }))],
];

/** Reads everything that the platform offers about the account itself. */
export async function readAccount(work: Work, use: Use, page: string | undefined): Promise<void> {
  const { trail, platform } = work;
  await checkScopes(work, use);
  for (const [name, readOf] of READS) {
    const read = readOf(platform, page);
    if (read) await trail.check(name, READABLE, async () => countVerdict(trail, await use(read)));
  }
  await readNewest();

  /** The newest existing posts, with the comments of the first. */
  async function readNewest(): Promise<void> {
    const { posts, comments } = platform;
    const { list, metrics } = posts ?? {};
    if (!list) return;
    const found = await trail.check('newest posts', READABLE, async () => {
      const { posts: items, skipped = [] } = await use((call) => list(call, { limit: MOST, pageId: page }));
      return { ...countVerdict(trail, { items, skipped }), value: items };
    });
    const [first] = found ?? [];
    if (!first) return;
    const { platform_post_id: id, page_id = page } = first;
    if (metrics) {
      await trail.check('counts of the newest post', READABLE, async () => {
        const counts = await use((call) => metrics(call, [{ id, page_id, metadata: {} }]));
        const differs = refusedCounts(trail, counts);
        return { seen: `${counts.size - differs.length} that can be read`, differs };
      });
    }
    if (comments?.list) {
      const read: Read = (call) => comments.list!(call, { post: id, page: page_id }, { limit: MOST });
      await trail.check('comments of the newest post', READABLE, async () => countVerdict(trail, await use(read)));
    }
  }
}

/** Whether the requested scopes are granted, now or at the connection. */
async function checkScopes({ trail, platform, account }: Work, use: Use): Promise<void> {
  const { scopes_granted: granted, scopes_missing: missing } = account!.metadata;
  if (!Array.isArray(granted) || !Array.isArray(missing))
    return trail.skip('scopes', 'the platform does not say which are granted');
  const { connect } = platform;
  const readGranted = connect.kind === 'oauth' ? connect.granted : undefined;
  await trail.check('scopes', 'all that were asked for are granted', async () => {
    const now = readGranted ? await use(readGranted) : granted;
    const wanting = [...granted, ...missing].filter((scope) => !now.includes(scope));
    const seen = `${now.length} are granted${readGranted ? '' : ', by the answer to the login'}`;
    return { seen, differs: wanting.map((scope) => `the scope ${scope} is not granted`) };
  });
}

function countVerdict(trail: Trail, found: unknown): Verdict<never> {
  const { items, skipped = [] }: Partial<Listed> = Array.isArray(found) ? { items: found } : (found as Partial<Listed>);
  if (!Array.isArray(items)) return { seen: 'it can be read' };
  const differs = refusedParts(
    trail,
    skipped.map(({ error }) => error),
  );
  return { seen: `${items.length} that can be read`, differs };
}
