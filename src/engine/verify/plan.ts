import type { Subject } from './deps.ts';

/** The planned actions, a sentence each. */
export function planOf({ platform, network, account }: Subject, rootUrl: string): readonly string[] {
  const where = network === 'sandbox' ? `the sandbox's ${platform.title}` : platform.title;
  const hasLogin = platform.connect.kind !== 'direct';
  const addresses = [...(hasLogin ? ['callback'] : []), ...(platform.push ? ['push'] : [])];
  const app = [
    ...(hasLogin && account?.by_key !== 1
      ? [`Ask ${where} whether it takes the credentials of the app, with a code that nobody has.`]
      : []),
    ...(addresses.length > 0
      ? [`Ask this server for its ${addresses.join(' and ')} address at ${rootUrl}, as the platform would.`]
      : []),
  ];
  if (!account) return [...app, 'Publish nothing: no --account is named.'];
  const { verification: tried } = platform;
  const read = `Read what ${where} shows of the account ${account.id}: scopes, limits, pages, lists.`;
  if (!tried || !platform.posts)
    return [...app, read, `Publish nothing: ${platform.title} has no post that reaches nobody.`];
  const post =
    tried.stopsBefore === undefined
      ? `Publish a post, seen by ${tried.seenBy}`
      : `Prepare a post, seen by ${tried.seenBy}`;
  const after = 'read it, comment on it, count its likes, and remove it, as far as the platform can';
  return [
    ...app,
    read,
    `${post}; then ${after}.`,
    ...(tried.leaves === undefined ? [] : [`Left behind: ${tried.leaves}.`]),
  ];
}
