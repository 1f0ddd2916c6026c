import { appThrottled } from '../graph/api/throttle.ts';
import { graphGate, graphServer } from '../graph/api/server.ts';
import { openGraph } from '../graph/index.ts';
import { makeContainers } from '../graph/media/containers.ts';
import { makeDialog } from '../graph/oauth/dialog.ts';
import { LONG_LIVED_ROOTS, longLivedMethods } from '../graph/oauth/long-lived.ts';
import { makeOAuth } from '../graph/oauth/oauth.ts';
import { graphTwin } from '../graph/twin.ts';
import type { Methods } from '../graph/world.ts';
import { short } from '../kit/acts.ts';
import type { TwinOptions } from '../kit/options.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { postActs } from './console/acts.ts';
import { makeView, openSite } from './console/www.ts';
import { bodiesOf, makeNotices } from './notices.ts';
import { insightsMethods } from './insights.ts';
import { writingMethods } from './publishing.ts';
import { makePosts } from './posts.ts';
import { makeLooks, readingMethods } from './reading.ts';
import { SETTINGS, type Draft, type ThreadsDocs } from './world.ts';

/** The scopes that an app may request. The first one is always granted. */
const SCOPES =
  `threads_basic threads_content_publish threads_manage_replies threads_read_replies threads_manage_insights
  threads_delete threads_manage_mentions threads_keyword_search threads_location_tagging
  threads_profile_discovery`.split(/\s+/);

const RESIDENTS = Object.freeze({
  owners: [
    ['olivia.sandbox.test', 'Olivia Harbour', []],
    ['sam.sandbox.test', 'Sam Single', []],
  ],
  start: '2',
} as const);

/** Opens the simulator of Threads: API, token endpoints, consent page, public site and updates. */
export function openThreads(options: TwinOptions): Twin {
  const twin = openGraph<ThreadsDocs, typeof SETTINGS>(options, ABOUT, {
    bodies: bodiesOf,
    settings: SETTINGS,
    residents: RESIDENTS,
  });
  const { world, queue } = twin;
  const oauth = makeOAuth(world, /^$/);
  const own = { network: ABOUT.title, scopes: SCOPES, always: 'threads_basic', hash: '_' };
  const dialog = makeDialog(world, oauth, { ...own, profiles: 'none' });
  const looks = makeLooks(world);
  const posts = makePosts(world, makeNotices(world, queue, looks.post));
  const methods: Methods = Object.freeze({
    ...oauth.methods,
    ...longLivedMethods(world, { prefix: 'th', scope: 'threads_basic' }),
    ...readingMethods(world, posts, looks),
    ...writingMethods(world, posts, makeContainers<Draft>(world)),
    ...insightsMethods(world, posts),
  });
  const gate = graphGate(world, { throttled: appThrottled });
  const shape = { kinds: ['person', 'post', 'container'], roots: LONG_LIVED_ROOTS, versions: [1, 1] } as const;

  return graphTwin(twin, {
    methods: Object.keys(methods),
    areas: { graph: graphServer({ world, gate, methods, oauth, ...shape }) },
    showing: makeView(world),
    site: openSite(world, posts, dialog),
    acts: postActs(world, posts),
    oauth,
    consent: dialog.act((words) => words),
    hidden: ['auto_delivery'],
    containerName: ({ page_id, draft }) => `${world.people.byId(page_id)?.name}: ${short((draft as Draft).text)}`,
    lists: { posts: 'post', containers: 'container' },
  });
}
