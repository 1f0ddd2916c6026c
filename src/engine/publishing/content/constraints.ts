import { accountNamed, noAccount, type AccountRow } from '#db/access/accounts.ts';
import type { Store } from '#db/store/store.ts';
import type { Sessions } from '#call/ports.ts';
import type { Authority } from '#kernel/authority.ts';
import { explain } from '#kernel/envelope.ts';
import { ApiError, orRefusalLater, type ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { prepared } from '#kernel/text/prepared.ts';
import { capabilityOf, knownPlatform, type Platforms } from '#platforms/lookup.ts';
import type { Board, OptionsSchema, PostRules, Posts } from '#platforms/posts.ts';
import { orPlatformRefusal } from '#platforms/refusal.ts';
import { accountsOf } from './addressing.ts';
import { bounded, textRules } from './rules.ts';

type Wire = ReturnType<typeof presentConstraints>;

/** The rules of each platform that publishes; rules for other kinds of account are in `kinds`. */
type Constraints = Readonly<{
  data: Readonly<Record<string, Wire & Readonly<{ kinds?: Readonly<Record<string, Wire>> }>>>;
}>;

/** Whose rules apply to an account, and its boards, or why it cannot post at the moment. */
type AccountConstraints = Readonly<{
  platform: PlatformSlug;
  kind?: string;
  board?: Wire['board'];
  error?: Readonly<{ code: ErrorCode; message: string }>;
}>;

type ConstraintsDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'use'>;
  platforms: Platforms;
  /** The largest file this server accepts. */
  maxBytes: number;
}>;

/** The results of get_constraints: for one platform, all platforms, or one account. */
export function makeConstraints({ store, sessions, platforms, maxBytes }: ConstraintsDeps) {
  const constraintsOf = ({ rules, check }: Posts) =>
    presentConstraints({ ...rules, media: bounded(rules.media, maxBytes) }, check?.options?.());

  function makeAnswers() {
    const entries = [...platforms.values()].flatMap(({ slug, posts, kinds = {} }) => {
      if (!posts) return [];
      const others = Object.entries(kinds).flatMap(([kind, own]) =>
        own.posts ? [[kind, constraintsOf(own.posts)] as const] : [],
      );
      const rules = constraintsOf(posts);
      return [[slug, others.length === 0 ? rules : { ...rules, kinds: Object.fromEntries(others) }] as const];
    });
    const answerOf = (of: typeof entries): Constraints => prepared({ data: Object.fromEntries(of) });
    return {
      entries,
      all: answerOf(entries),
      none: answerOf([]),
      each: new Map(entries.map((entry) => [entry[0], answerOf([entry])])),
    };
  }
  let made: ReturnType<typeof makeAnswers> | undefined;
  /** Made on first use, so that they do not slow down the start. */
  const answers = () => (made ??= makeAnswers());

  const postsOf = (account: AccountRow): Posts =>
    capabilityOf(platforms, account, 'posts.publish', (platform) => platform.posts);

  async function boardsOf(account: AccountRow, { boards }: Posts): Promise<readonly Board[] | undefined> {
    return boards && orPlatformRefusal(account.platform, sessions.use(account, boards));
  }

  async function ofOne(account: AccountRow): Promise<AccountConstraints> {
    const { platform, kind } = account;
    const own = await orRefusalLater(async () => {
      const posts = postsOf(account);
      const boards = await boardsOf(account, posts);
      return boards && { board: { ...constraintsOf(posts).board, boards } };
    });
    const known = own instanceof ApiError ? { error: { code: own.code, message: explain(own) } } : own;
    return { platform, ...(kind !== null && { kind }), ...known };
  }

  return Object.freeze({
    ofPlatform(platform: string | undefined): Constraints {
      const { all, none, each } = answers();
      if (platform === undefined) return all;
      return each.get(knownPlatform(platform, 'platform')) ?? none;
    },

    /** The rules of several platforms and accounts, and whose rules apply to each account. */
    async ofSeveral(
      authority: Authority,
      named: readonly string[],
      accountIds: readonly string[],
    ): Promise<Constraints & Readonly<{ accounts?: Readonly<Record<string, AccountConstraints>> }>> {
      const slugs = named.map((platform) => knownPlatform(platform, 'platforms'));
      const addressed = accountIds.map((account_id) => ({ account_id }));
      const known = await accountsOf(store.db, authority, addressed);
      const found = [...new Set(accountIds)].map((id) => known.get(id) ?? noAccount(id));
      const accounts = await Promise.all(found.map(async (account) => [account.id, await ofOne(account)] as const));
      const wanted = new Set<PlatformSlug>([...slugs, ...accounts.map(([, { platform }]) => platform)]);
      const data = Object.fromEntries(answers().entries.filter(([slug]) => wanted.has(slug)));
      return { data, ...(accounts.length > 0 && { accounts: Object.fromEntries(accounts) }) };
    },

    async ofAccount(authority: Authority, id: string): Promise<Constraints> {
      const account = await accountNamed(store.db, authority, id);
      const posts = postsOf(account);
      const { board, ...rules } = constraintsOf(posts);
      const boards = await boardsOf(account, posts);
      return { data: { [account.platform]: { ...rules, board: { ...board, ...(boards && { boards }) } } } };
    },
  });
}

function presentConstraints({ text, media, carousel, ...rules }: PostRules, options?: OptionsSchema) {
  const { title, first_comment: comment } = rules;
  const { min_aspect_ratio: narrowest, max_aspect_ratio: widest } = media.pictures ?? {};
  const ratio = [narrowest, widest].filter((one) => one !== undefined);
  const { photo_max_length: photo = text.max_length, video_max_length: video = text.max_length } = text;
  return {
    text: {
      ...text,
      // A text of this length is allowed with any media.
      max_length: rules.text_only ? text.max_length : Math.min(photo, video),
      photo_max_length: photo,
      video_max_length: video,
      max_hashtags: text.max_hashtags ?? null,
      max_mentions: text.max_mentions ?? null,
    },
    media: {
      max_image_size_bytes: media.max_image_size_bytes,
      max_video_size_bytes: media.max_video_size_bytes,
      max_video_duration_sec: media.max_video_duration_sec ?? null,
      min_video_duration_sec: media.min_video_duration_sec ?? null,
      max_video_fps: null,
      supported_image_types: media.supported_image_types,
      supported_video_types: media.supported_video_types,
      supported_document_types: media.documents ?? [],
      sources: media.sources,
      // Pictures are converted to meet all other rules; only the shape is the user's choice.
      ...(ratio.length > 0 && { image_aspect_ratio: ratio }),
    },
    carousel: { ...carousel, photos_only: carousel.images_only },
    threads: rules.threads,
    title: title ? { supported: true, required: title.required, ...textRules(title) } : { supported: false },
    first_comment: comment ? { supported: true, ...textRules(comment) } : { supported: false },
    board: { required: rules.board === 'required' } as Readonly<{ required: boolean; boards?: readonly Board[] }>,
    text_only: rules.text_only,
    visibilities: rules.visibilities,
    ...(options && { options }),
    scheduling: { supported: true, mode: 'server_side' },
    supports_platform_attachment_id: media.sources.includes('platform_attachment_id'),
    supports_mixed_media: carousel.supported && carousel.allow_video,
  };
}
