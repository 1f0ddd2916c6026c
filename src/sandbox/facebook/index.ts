import type { Context } from 'koa';
import type { Clock } from '../../kernel/clock.ts';
import type { Outbound } from '../../kernel/net/request.ts';
import type { Faults } from '../faults.ts';
import type { Forms } from '../forms.ts';
import type { Journal } from '../journal.ts';
import type { Store } from '../store.ts';
import type { Offer, Twin } from '../twin.ts';
import { doAct } from '../kit/acts.ts';
import { commentMethods } from './comments/methods.ts';
import { makeComments } from './comments/comments.ts';
import { makeConversations } from '../graph/messaging/conversations.ts';
import { makeDialog } from '../graph/dialog.ts';
import { openNodes } from './docs.ts';
import { makeFetching } from '../kit/fetching.ts';
import { openFiles } from '../kit/files.ts';
import { listsOf } from './console/lists.ts';
import { makeInsights } from './posts/insights.ts';
import { makeMessages } from '../graph/messaging/messages.ts';
import { makeOAuth } from '../graph/oauth.ts';
import { offered } from '../kit/offered.ts';
import { makeOwning } from './console/owning.ts';
import { makePages } from './pages.ts';
import { openPeople } from './people.ts';
import { makePhotos } from './posts/photos.ts';
import { makePlay } from './console/play.ts';
import { makeTalk } from '../graph/messaging/acts.ts';
import { postLook } from './posts/look.ts';
import { makePosts } from './posts/posts.ts';
import { makePublication } from './posts/publication.ts';
import { openPushes } from '../kit/pushes.ts';
import { makeReels } from './videos/reels.ts';
import { uploadHost } from '../graph/rupload.ts';
import { makeScene } from '../graph/messaging/scene.ts';
import { graphServer } from '../graph/server.ts';
import { openSettings } from '../kit/settings.ts';
import { makeShown, SLUG } from './console/shown.ts';
import { makeThreads } from '../graph/messaging/threads.ts';
import { openTokens } from '../graph/tokens.ts';
import { openUpdates } from './updates.ts';
import { makeVideoStates } from './videos/state.ts';
import { makeVideos } from './videos/videos.ts';
import type { Methods, World } from './world.ts';
import { makeWww } from './console/www.ts';

export type FacebookOptions = Readonly<{
  store: Store;
  clock: Clock;
  /** Where programs reach the sandbox, browsers reach it, and the twin reaches the app. */
  rootUrl: () => string;
  webUrl: () => string;
  productUrl: () => string;
  appSecret: string;
  outbound: Pick<Outbound, 'send'>;
  forms: Forms;
  faults: Faults;
  journal: Journal;
  wait(ms: number): Promise<boolean>;
  complain(error: unknown, what: string): void;
}>;

/** What a reset takes away; people and their Pages stay. */
const DONE = [
  'grant',
  'code',
  'post',
  'photo',
  'video',
  'comment',
  'reaction',
  'thread',
  'message',
  'attachment',
  'blob',
] as const;

/** The twin's own tables and clients, which every part of it uses. */
function openWorld(options: FacebookOptions, hosts: World['hosts'], origins: () => readonly string[]): World {
  const { store, clock, outbound, appSecret, complain } = options;
  const nodes = openNodes(store);
  const people = openPeople(store, nodes, clock);
  const settings = openSettings(store);
  const files = openFiles(store, nodes, clock);
  const updates = openUpdates(store, { nodes, people, clock, www: hosts.www });
  const product = options.productUrl;
  const pushes = openPushes(store, { clock, nodes, settings, updates, outbound, appSecret, product, complain });
  const fetching = makeFetching(outbound, files, origins);
  const tokens = openTokens(store, nodes, people, clock, appSecret);
  return Object.freeze({
    store,
    clock,
    nodes,
    people,
    tokens,
    settings,
    files,
    fetching,
    updates,
    pushes,
    appSecret,
    hosts,
  });
}

/** The parts of the Graph API, and every method they answer. */
function makeGraph(world: World) {
  const oauth = makeOAuth(world);
  const pages = makePages(world);
  const comments = makeComments(world);
  const insights = makeInsights(world, comments.reactions);
  const look = postLook(world, {
    comment: comments.look,
    comments: comments.list,
    reaction: comments.reaction,
    reactions: comments.reactions,
    insights: insights.ofPost,
  });
  const publication = makePublication(world);
  const states = makeVideoStates(world, publication);
  const threads = makeThreads(world);
  const methods: Methods = Object.freeze({
    ...oauth.methods,
    ...pages.methods,
    ...makePosts(world, publication, look),
    ...makePhotos(world, publication).methods,
    ...makeVideos(world, states, publication).methods,
    ...makeReels(world, states),
    ...commentMethods(world, comments),
    ...insights.methods,
    ...makeMessages(world, threads, comments.repliable),
    ...makeConversations(world, threads),
  });

  return Object.freeze({ oauth, comments, publication, states, threads, methods });
}

/** Facebook's stand-in: Graph with its video and upload hosts, the log-in dialog, Messenger and the updates it sends. */
export function openFacebook(options: FacebookOptions): Twin {
  const { store, forms } = options;
  const below = (root: () => string, host: string) => () => `${root().replace(/\/+$/, '')}/sandbox/${SLUG}/${host}`;
  const hosts = {
    rupload: below(options.rootUrl, 'rupload'),
    www: below(options.webUrl, 'www'),
    cdn: below(options.webUrl, 'cdn'),
  };
  const origins = () => [options.rootUrl, options.webUrl, options.productUrl].map((root) => new URL(root()).origin);
  const world = openWorld(options, hosts, origins);
  const { nodes, people, pushes } = world;
  const { oauth, comments, publication, states, threads, methods } = makeGraph(world);
  const dialog = makeDialog(world, oauth, forms, origins);

  function due(): void {
    publication.due();
    states.due();
  }
  const answerGraph = graphServer({
    ...options,
    world,
    methods,
    due,
    aboutWhom: oauth.aboutWhom,
    graph: below(options.rootUrl, 'graph'),
  });
  const answerUpload = uploadHost({ ...options, world }, states);
  const www = makeWww(world, comments, dialog);
  const acts = {
    ...makePlay(world, { comments, publication }),
    ...makeTalk(world, threads),
    ...makeOwning(world, oauth, dialog),
  };
  const scene = makeScene(world, threads);

  async function handle(ctx: Context, segments: readonly string[]): Promise<void> {
    const [area, ...rest] = segments;
    if (area === 'graph' || area === 'graph-video') await answerGraph(ctx, area, rest);
    else if (area === 'rupload') await answerUpload(ctx, rest);
    else if (area === 'cdn') www.cdn(ctx, rest);
    else if (area === 'www') {
      due();
      await www.answer(ctx, rest);
    }
    pushes.kick();
  }

  const lists = listsOf(world);
  const { known, history, latest } = makeShown(world);

  return Object.freeze({
    slug: SLUG,
    title: 'Facebook',
    entry: 'Connect an owner: the log-in dialog lets you choose who you are.',
    methods: Object.freeze([...Object.keys(methods), 'POST rupload']),
    apis: Object.freeze(['graph', 'graph-video', 'rupload', 'cdn']),
    handle,
    people: () => people.owners().map(known),
    cast: scene.cast,
    find: (person: string) => people.find(person)?.id,
    addPerson: (handleText: string, name: string) =>
      known(store.write(() => people.add(handleText.toLowerCase(), name, true))),
    posts(words: string) {
      const person = people.find(words);
      return person === undefined ? [] : history(person);
    },
    latest(count: number, offer?: Offer) {
      due();
      return latest(count).map((post) => www.drawThread(post, offer));
    },
    actions: offered(world, acts),
    conversations: scene.conversations,
    pushes: pushes.list,
    /** A changed password ends every session at once; the app only learns of it by trying. */
    revoke(person: string) {
      const found = people.find(person);
      if (found !== undefined)
        store.write(() => nodes.change('person', found.id, { session_no: found.session_no + 1 }));
    },
    reset: () => reset(world),
    async act(name: string, input: Readonly<Record<string, unknown>>) {
      const act = Object.hasOwn(acts, name) ? acts[name as keyof typeof acts] : undefined;
      if (act === undefined) return undefined;
      due();
      const done = await doAct(act, input);
      pushes.kick();
      return { done: done ?? null };
    },
    look(name: string) {
      due();
      return Object.hasOwn(lists, name) ? lists[name]?.() : undefined;
    },
    settle: pushes.settle,
    close: pushes.close,
  });
}

function reset({ store, nodes, people, files, updates, pushes, settings }: World): void {
  store.write(() => {
    nodes.clear(DONE);
    for (const { id } of people.pages()) nodes.change('page', id, { subscription: undefined });
    people.restore();
    files.reset();
    updates.reset();
    pushes.reset();
    settings.reset();
  });
}
