/** Notifications of social actions, which are pushed to the webhooks of administrators. */
import { MINUTE } from '#kernel/clock.ts';
import { randomUUID } from 'node:crypto';
import { parseJson } from '../body.ts';
import { isObject } from '../kit/api/checks.ts';
import { digits } from '../kit/ids.ts';
import { hmac } from '../kit/oauth/secrets.ts';
import type { Comment, Fields, Post, Subscription } from './docs.ts';
import type { Login } from './login.ts';
import { readLittleText } from './text.ts';
import { idIn, isOrganization, type Names, type World } from './world.ts';

export const EVENT_TYPE = 'ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS';
const DEADLINE_MS = 3000;
const PROVED_MS = 120 * MINUTE;
const STRIKES = 3;
const BATCH = 10;

type Action = 'LIKE' | 'COMMENT' | 'SHARE' | 'SHARE_MENTION' | 'ADMIN_COMMENT' | 'COMMENT_EDIT' | 'COMMENT_DELETE';
type Item = Readonly<{ subscription: string; webhook: string; notification: Fields }>;
type Generated = Readonly<{ urn: string; shown?: object }>;

export const signatureOf = (secret: string, body: string): string =>
  hmac(secret, 'sha256', `hmacsha256=${body}`).digest('hex');

/** Sends a challenge to a webhook, which has three seconds to respond. */
const makeChallenge = ({ docs, options: { clock, appSecret }, pushes }: World) =>
  async function prove(url: string): Promise<boolean> {
    const challengeCode = randomUUID();
    const address = new URL(url);
    address.searchParams.set('challengeCode', challengeCode);
    const challengeResponse = hmac(appSecret, 'sha256', challengeCode).digest('hex');
    const isProof = ({ status, text }: Readonly<{ status: number | undefined; text: string }>) => {
      const body = parseJson(Buffer.from(text));
      if (status !== 200 || !isObject(body) || body['challengeCode'] !== challengeCode) return false;
      return body['challengeResponse'] === challengeResponse;
    };
    const isProved = await pushes.handshake(url, { method: 'GET', url: address.href }, isProof, DEADLINE_MS);
    const strikes = isProved ? 0 : (docs.get('endpoint', url)?.strikes ?? 0) + 1;
    docs.put('endpoint', { id: url, at: clock.now(), strikes });
    return isProved;
  };

export type Notices = ReturnType<typeof makeNotices>;

export function makeNotices(world: World, names: Names, login: Login) {
  const { docs, options, settings, pushes } = world;
  const { clock, appSecret } = options;
  const prove = makeChallenge(world);

  /** A subscription ends together with the member's token, grant or role. */
  function isLive({ user, page_id, expires_at }: Subscription): boolean {
    const isAdmin = docs.get('role', `${page_id} ${user}`)?.role === 'ADMINISTRATOR';
    return isAdmin && login.tokens.granted(idIn(user)) !== undefined && expires_at > clock.now();
  }

  pushes.start({
    bundle(updates) {
      const items = updates.map(({ item }) => item as Item);
      const live = items.filter(({ subscription: id }) =>
        [docs.get('subscription', id)].some((one) => one && isLive(one)),
      );
      return [...Map.groupBy(live, ({ webhook }) => webhook)].flatMap(([url, own]) =>
        Array.from({ length: Math.ceil(own.length / BATCH) }, (_, at) => {
          const notifications = own.slice(at * BATCH, (at + 1) * BATCH).map(({ notification }) => notification);
          return { url, body: JSON.stringify({ type: EVENT_TYPE, notifications }) };
        }),
      );
    },
    request({ url, body }, isWrong) {
      const signature = signatureOf(isWrong ? 'wrong' : appSecret, body);
      return { url, body, headers: { 'content-type': 'application/json', 'x-li-signature': signature } };
    },
    deadlineMs: DEADLINE_MS,
    async isReady(url) {
      const { strikes, at } = docs.get('endpoint', url) ?? { strikes: 1, at: 0 };
      if (strikes === 0 && at + PROVED_MS > clock.now()) return true;
      return strikes < STRIKES && prove(url);
    },
    waits: [5 * MINUTE],
    lastTry: 480 * MINUTE,
  });

  const entityOf = ({ id: entity, page_id: owner, body: { commentary, content = { none: true } } }: Post) => {
    return {
      entity,
      owner,
      text: readLittleText(commentary).plain,
      mediaCategory: Object.keys(content)[0]!.toUpperCase(),
    };
  };
  /** Stores a notification and pushes it. Inside a transaction. */
  function notify(
    page_id: string,
    action: Action,
    post: Post,
    { urn: generatedActivity, shown: view }: Generated,
  ): void {
    if (post.body.visibility !== 'PUBLIC') return;
    const notification = {
      notificationId: Number(digits(10)),
      organizationalEntity: page_id,
      action,
      sourcePost: names.named(post),
      decoratedSourcePost: entityOf(post),
      generatedActivity,
      ...(view !== undefined && { decoratedGeneratedActivity: view }),
      lastModifiedAt: clock.now(),
    };
    docs.put('notification', { id: `${notification.notificationId}`, at: clock.now(), page_id, shown: notification });
    for (const { id, user: subscriber, webhook } of docs.list('subscription', { page: page_id })) {
      const item: Item = { subscription: id, webhook, notification: { ...notification, subscriber } };
      pushes.add({ page_id, kind: action, item });
    }
  }

  return Object.freeze({
    prove,
    isLive,
    comment(post: Post, comment: Comment, done: 'COMMENT' | 'COMMENT_EDIT' | 'COMMENT_DELETE'): void {
      if (!isOrganization(post.page_id)) return;
      const [entity, owner] = [names.comment(comment), comment.page_id];
      const urn = settings.get('short_comment_urns') ? entity.replace('(urn:li:', '(') : entity;
      const view = { comment: { entity, owner, text: comment.text, object: names.named(post) } };
      const action = done === 'COMMENT' && isOrganization(owner) ? 'ADMIN_COMMENT' : done;
      notify(post.page_id, action, post, { urn, shown: view });
    },
    like(post: Post, actor: string): void {
      const urn = `urn:li:like:(${actor},${names.activity(post)})`;
      if (isOrganization(post.page_id)) notify(post.page_id, 'LIKE', post, { urn });
    },
    posted(post: Post, shared: Post | undefined): void {
      const generated = { urn: post.id, shown: { share: entityOf(post) } };
      if (shared !== undefined && isOrganization(shared.page_id)) notify(shared.page_id, 'SHARE', shared, generated);
      const { mentions } = readLittleText(post.body.commentary);
      const named = mentions.filter(
        ({ name, urn }) => urn !== post.page_id && isOrganization(urn) && names.of(urn) === name,
      );
      for (const urn of new Set(named.map((one) => one.urn))) notify(urn, 'SHARE_MENTION', post, generated);
    },
  });
}
