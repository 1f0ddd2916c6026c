import { graphGate, graphServer } from '../graph/api/server.ts';
import { makeDialog } from '../graph/oauth/dialog.ts';
import { openGraph } from '../graph/index.ts';
import { messageActs } from '../graph/messaging/acts.ts';
import { makeConversations } from '../graph/messaging/conversations.ts';
import { MESSENGER_KINDS } from '../graph/messaging/kinds.ts';
import { makeMessages } from '../graph/messaging/messages.ts';
import { makeScene } from '../graph/messaging/scene.ts';
import { makeThreads } from '../graph/messaging/threads.ts';
import { makeOAuth } from '../graph/oauth/oauth.ts';
import { entriesOf } from '../graph/push/updates.ts';
import { uploadHost } from '../graph/media/rupload.ts';
import { pageOwnerActs } from '../graph/people/cast.ts';
import { graphTwin } from '../graph/twin.ts';
import type { Methods } from '../graph/world.ts';
import { there } from '../kit/acts.ts';
import type { TwinOptions } from '../kit/options.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { makeComments } from './comments/comments.ts';
import { commentMethods } from './comments/methods.ts';
import { facebookReplies } from './comments/private.ts';
import { makePlay } from './console/play.ts';
import { listsOf } from './console/lists.ts';
import { makeView, openSite } from './console/www.ts';
import type { FacebookDocs } from './docs.ts';
import { pageMethods } from './pages.ts';
import { makeInsights } from './posts/insights.ts';
import { postNode } from './posts/post-node.ts';
import { makePhotos } from './posts/photos.ts';
import { makePosts } from './posts/posts.ts';
import { makePublication } from './posts/publication.ts';
import { makeFeed } from './updates.ts';
import { makeReels } from './videos/reels.ts';
import { makeVideoStates, uploadsOf } from './videos/state.ts';
import { makeVideos } from './videos/videos.ts';
import { SETTINGS, type World } from './world.ts';

/** The permissions that the app may request. The first one is always granted. */
const SCOPES: readonly string[] = Object.freeze([
  'public_profile',
  'email',
  'pages_show_list',
  'pages_read_engagement',
  'pages_read_user_content',
  'pages_manage_posts',
  'pages_manage_engagement',
  'pages_manage_metadata',
  'pages_messaging',
  'read_insights',
  'business_management',
  'publish_video',
]);

/** The people of a new simulator: owners with two, one and no Pages, and people who write to them. */
const RESIDENTS = Object.freeze({
  owners: [
    ['olivia.sandbox.test', 'Olivia Harbour', ['Harbour Coffee', 'Harbour Bakery']],
    ['sam.sandbox.test', 'Sam Single', ['Single Origin Studio']],
    ['nora.sandbox.test', 'Nora Nopage', []],
  ],
} as const);

const NODES = ['person', 'page', 'post', 'photo', 'video', 'comment', 'thread', 'message'];

function makeParts(world: World) {
  const oauth = makeOAuth(world, /^(?:pages_|read_insights)/);
  const feed = makeFeed(world);
  const comments = makeComments(world, feed);
  const insights = makeInsights(world, comments.reactions);
  const look = postNode(world, {
    comment: comments.look,
    comments: comments.list,
    reaction: comments.reaction,
    reactions: comments.reactions,
    insights: insights.ofPost,
  });
  const publication = makePublication(world, feed);
  const states = makeVideoStates(world, publication);
  const threads = makeThreads(world);
  const methods: Methods = Object.freeze({
    ...oauth.methods,
    ...pageMethods(world),
    ...makePosts(world, publication, look),
    ...makePhotos(world, publication),
    ...makeVideos(world, states, publication),
    ...makeReels(world, states),
    ...commentMethods(world, comments),
    ...insights.methods,
    ...makeMessages(world, threads, facebookReplies(world)),
    ...makeConversations(world, threads),
  });
  return Object.freeze({ oauth, feed, comments, publication, states, threads, methods });
}

/** Opens the simulator of Facebook: Graph, the upload hosts, the login dialog, Messenger and updates. */
export function openFacebook(options: TwinOptions): Twin {
  const twin = openGraph<FacebookDocs, typeof SETTINGS>(options, ABOUT, {
    bodies: entriesOf('page'),
    settings: SETTINGS,
    residents: RESIDENTS,
  });
  const { world } = twin;
  const parts = makeParts(world);
  const { oauth, publication, states, methods } = parts;
  const dialog = makeDialog(world, oauth, { network: ABOUT.title, scopes: SCOPES });
  const gate = graphGate(world);
  function due(): void {
    publication.due();
    states.due();
  }
  const graph = graphServer({ world, gate, methods, kinds: NODES, due, oauth });

  return graphTwin(twin, {
    methods: Object.freeze([...Object.keys(methods), 'POST rupload']),
    areas: { graph, 'graph-video': graph, rupload: uploadHost(world, gate, uploadsOf(world, states)) },
    showing: makeView(world),
    ...makeScene(world),
    site: openSite(world, parts.comments, dialog),
    acts: { ...makePlay(world, parts), ...messageActs(world, parts.threads, MESSENGER_KINDS), ...pageOwnerActs(world) },
    oauth,
    consent: dialog.act((words) => there(world.people.findPage(words), 'Page').id, 'pages'),
    lists: listsOf(world),
    due,
  });
}
