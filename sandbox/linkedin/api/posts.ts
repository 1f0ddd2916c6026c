import { z } from 'zod';
import type { Rates } from '../../kit/api/rates.ts';
import { answer } from '../../kit/api/routes.ts';
import { listOf, shape, text } from '../../kit/api/shapes.ts';
import { VISIBILITIES, type Fields, type Post } from '../docs.ts';
import { badInput, denied, illegal, notFound, throttled } from '../errors.ts';
import { readLittleText } from '../text.ts';
import { read, type Call, type Parts, type Routes } from './calls.ts';
import type { Assets } from './uploads.ts';

const LONGEST = 3000;
const DURATIONS = ['ONE_DAY', 'THREE_DAYS', 'SEVEN_DAYS', 'FOURTEEN_DAYS'];
const Commentary = z.string({ error: 'must be a string' }).max(LONGEST, `exceeded the maximum allowed (${LONGEST})`);
const Alt = z.string().max(4086).optional();
const urnOf = (kinds: string) => z.string().regex(new RegExp(`^urn:li:(?:${kinds}):[\\w-]+$`), `must be of ${kinds}`);
const Image = z.strictObject({ id: urnOf('image'), altText: Alt });
const Choice = z.strictObject({ text: text(30) });
const Content = z
  .strictObject({
    media: z.strictObject({ id: urnOf('image|video|document'), title: text(400).optional(), altText: Alt }),
    multiImage: z.strictObject({ images: listOf(Image, 20).min(2) }),
    article: z.strictObject({
      source: z.url({ protocol: /^https?$/ }),
      title: text(400),
      description: Alt,
      thumbnail: urnOf('image').optional(),
    }),
    poll: z.strictObject({
      question: text(140),
      options: z.array(Choice).min(2).max(4),
      settings: z.strictObject({ duration: z.enum(DURATIONS) }),
    }),
  })
  .partial()
  .refine((given) => Object.keys(given).length === 1, 'must be of one kind');
const Body = z.strictObject({
  author: urnOf('person|organization'),
  commentary: Commentary,
  visibility: z.enum(VISIBILITIES),
  distribution: shape({ feedDistribution: z.enum(['MAIN_FEED', 'NONE']) }),
  lifecycleState: z.literal('PUBLISHED'),
  isReshareDisabledByAuthor: z.boolean().optional(),
  content: Content.optional(),
  reshareContext: z.strictObject({ parent: z.string() }).optional(),
});
const Patch = z.strictObject({ patch: z.strictObject({ $set: z.strictObject({ commentary: Commentary }) }) });

export function filesOf(content: Fields | undefined): readonly string[] {
  const { media, multiImage, article } = (content ?? {}) as z.output<typeof Content>;
  return [media?.id, ...(multiImage?.images.map(({ id }) => id) ?? []), article?.thumbnail].filter(
    (id) => id !== undefined,
  );
}

export function postRoutes({ world, names, feed, api }: Parts, assets: Assets, rates: Rates | undefined): Routes {
  const { settings } = world;

  function viewOf(post: Post): object {
    const { body, at, changed_at, page_id: author } = post;
    const times = { createdAt: at, publishedAt: at, lastModifiedAt: changed_at };
    return { lifecycleState: 'PUBLISHED', ...body, id: names.listed(post), author, ...times };
  }
  /** The post that this one repeats. With `ghost_duplicates`, the id of a post that does not exist. */
  function repeated(author: string, { commentary, content }: Pick<Post['body'], 'commentary' | 'content'>) {
    if (settings.get('ghost_duplicates')) return `urn:li:share:${names.newNumber()}`;
    const isSame = ({ body }: Post) =>
      body.commentary === commentary && (commentary !== '' || JSON.stringify(body.content) === JSON.stringify(content));
    return feed.postsOf(author).find(isSame)?.id;
  }
  function create(call: Call): unknown {
    const { author, commentary, ...given } = read(Body, call.params.values, 'body');
    const { content, reshareContext } = given;
    api.authorize(call, author, 'post');
    const kinds = filesOf(content).map((urn) => assets.usable(urn, author).kind);
    if (commentary === '' && content === undefined && reshareContext === undefined)
      throw badInput('commentary', 'MISSING_FIELD', 'a post needs a commentary or content');
    if (content?.media !== undefined && kinds[0] === 'document' && content.media.title === undefined)
      throw badInput('content/media/title', 'MISSING_FIELD', 'a document needs a title');
    const shared = reshareContext && feed.target(reshareContext.parent).post;
    const { kept } = readLittleText(commentary);
    const same = repeated(author, { commentary: kept, ...(content && { content }) });
    if (same !== undefined)
      throw badInput(
        'commentary',
        'DUPLICATE_POST',
        `Content is a duplicate of ${same}`,
        settings.get('duplicate_status'),
      );
    if (rates?.spend([api.charge(author)]).exceeded === true) throw throttled();
    const kind = kinds.includes('video') || content?.multiImage !== undefined ? 'ugcPost' : 'share';
    const body = { ...given, commentary: kept } as Post['body'];
    return answer('', 201, { 'x-restli-id': feed.post(author, body, kind, shared).id });
  }
  function own(call: Call, right: 'post' | 'posts', [urn] = call.keys): Post {
    const post = names.post(urn!);
    if (post === undefined) throw notFound(`post ${urn}`);
    api.authorize(call, post.page_id, right);
    return post;
  }
  function find(call: Call): object {
    const author = call.query.text('author');
    api.authorize(call, author, 'posts');
    const order = call.query.maybe('sortBy') ?? 'LAST_MODIFIED';
    if (order !== 'LAST_MODIFIED' && order !== 'CREATED') throw illegal('sortBy is not known');
    const timeOf = ({ at, changed_at }: Post) => (order === 'CREATED' ? at : changed_at);
    const newest = feed.postsOf(author).toReversed();
    return api.list(call, newest.toSorted((a, b) => timeOf(b) - timeOf(a)).map(viewOf));
  }

  return [
    ...api.resource('/rest/posts', {
      CREATE: create,
      'FINDER author': find,
      BATCH_GET: (call) =>
        api.batch(call, (urn) => {
          const post = names.post(urn);
          return post && api.isAllowed(call, post.page_id, 'posts') ? viewOf(post) : undefined;
        }),
    }),
    ...api.resource('/rest/posts/{urn}', {
      GET: (call) => viewOf(own(call, 'posts')),
      PARTIAL_UPDATE(call) {
        const post = own(call, 'post');
        const { kept } = readLittleText(read(Patch, call.params.values, 'body').patch.$set.commentary);
        feed.edit(post, kept);
      },
      DELETE(call) {
        const [urn = ''] = call.keys;
        // Deleting a deleted post again is allowed.
        if (!/^urn:li:(?:share|ugcPost):\d+$/.test(urn)) throw denied('Only posts can be deleted');
        if (names.post(urn) !== undefined) feed.remove(own(call, 'post'));
      },
    }),
  ];
}
