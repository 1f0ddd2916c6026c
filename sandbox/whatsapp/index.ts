import { DAY } from '#kernel/clock.ts';
import type { Context } from 'koa';
import { graphGate, graphServer, withStatuses } from '../graph/api/server.ts';
import { openGraph } from '../graph/index.ts';
import { openHandles } from '../graph/media/handles.ts';
import { makeDialog } from '../graph/oauth/dialog.ts';
import { makeOAuth } from '../graph/oauth/oauth.ts';
import { entriesOf } from '../graph/push/updates.ts';
import { graphTwin } from '../graph/twin.ts';
import { there } from '../kit/acts.ts';
import { openRates } from '../kit/api/rates.ts';
import { hostBelow, type TwinOptions } from '../kit/options.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { accountMethods } from './business/accounts.ts';
import { grantedMethod } from './business/granted.ts';
import { numberMethods, restoreNumbers } from './business/numbers.ts';
import { GROUPS, whatsappActs } from './console/acts.ts';
import { makeScene } from './console/scene.ts';
import { makeCustomers } from './customers.ts';
import type { WhatsAppDocs } from './docs.ts';
import { statusOf, throttled } from './errors.ts';
import { makeChats } from './messages/chats.ts';
import { mediaHost, mediaMethods, openMedia } from './messages/media.ts';
import { messageMethods } from './messages/messages.ts';
import { makeTemplates } from './templates/sending.ts';
import { templateMethods } from './templates/templates.ts';
import { SETTINGS, type World } from './world.ts';

const RIGHTS = Object.freeze(['whatsapp_business_management', 'whatsapp_business_messaging']);
const SCOPES = Object.freeze(['public_profile', 'business_management', ...RIGHTS]);
const NODES = ['person', 'page', 'number', 'media', 'template', 'upload'];

/** The people of a new simulator: owners with one number, with several, and with none. */
const RESIDENTS = Object.freeze({
  owners: [
    ['wanda.sandbox.test', 'Wanda Wells', ['Wells Bakery']],
    ['otto.sandbox.test', 'Otto Outdoor', ['Otto Outdoor', 'Otto Rentals']],
    ['nora.sandbox.test', 'Nora Nonumber', ['Nora Studio']],
  ],
  followers: [],
} as const);

/** Opens the simulator of WhatsApp: Cloud API, sign-up dialog, customers' phones and updates. */
export function openWhatsApp(options: TwinOptions): Twin {
  const twin = openGraph<WhatsAppDocs, typeof SETTINGS>(options, ABOUT, {
    bodies: entriesOf('whatsapp_business_account'),
    settings: SETTINGS,
    residents: RESIDENTS,
    userAgent: 'facebookexternalua',
  });
  const world: World = Object.freeze({
    ...twin.world,
    rates: options.rateLimits ? openRates(options.clock) : undefined,
    lookaside: hostBelow(options.rootUrl, ABOUT.slug, 'lookaside'),
  });
  const { nodes, people, settings, store, tokens } = world;
  const customers = makeCustomers(world);
  const chats = makeChats(world, customers);
  const due = chats.due.run;
  const media = openMedia(world);
  const templates = makeTemplates(world);
  const handles = openHandles(world, nodes);
  const oauth = makeOAuth(world, /^whatsapp_/, () => settings.get('token_days') * DAY);
  const dialog = makeDialog(world, oauth, {
    network: ABOUT.title,
    scopes: SCOPES,
    configured: RIGHTS,
    profiles: { name: 'WhatsApp accounts', field: 'account' },
  });
  const methods = Object.freeze({
    ...oauth.methods,
    'GET debug_token': grantedMethod(world, oauth.methods['GET debug_token']!),
    ...accountMethods(world),
    ...numberMethods(world, handles.blobOf),
    ...handles.methods,
    ...mediaMethods(world, media),
    ...templateMethods(world, templates),
    ...messageMethods(world, { customers, chats, media, templates }),
  });
  const gate = withStatuses(graphGate(world, { throttled }), (code) => statusOf(code, settings.get('limits_as_400')));
  const answerGraph = graphServer({ world, gate, methods, kinds: NODES, due, oauth });
  const receive = handles.receive(gate);
  const scene = makeScene(world, customers, chats, (person) => tokens.forSystemUser(person, SCOPES));
  function restore(): void {
    restoreNumbers(world);
    customers.restore();
  }
  if (nodes.list('number').length === 0) store.write(restore);

  return graphTwin(twin, {
    methods: Object.freeze([...Object.keys(methods), 'POST upload', 'GET lookaside']),
    areas: {
      graph: (ctx: Context, rest: readonly string[], area: string) =>
        handles.isUpload(ctx, rest) ? receive(ctx, rest) : answerGraph(ctx, rest, area),
      lookaside: mediaHost(world, media, gate),
    },
    site: {
      answer: async (ctx, path) => (path.slice(-2).join('/') === 'dialog/oauth' ? dialog.answer(ctx) : undefined),
    },
    showing: scene,
    conversations: scene.conversations,
    acts: whatsappActs(world, { customers, chats, media, templates }),
    groups: GROUPS,
    oauth,
    consent: dialog.act((words) => there(people.findPage(words), 'WhatsApp account').id, 'accounts'),
    hidden: ['read_lag_ms'],
    lists: {
      accounts: 'page',
      numbers: 'number',
      chats: 'chat',
      messages: 'bubble',
      templates: 'template',
      media: 'media',
      customers: () => nodes.list('customer').map((one) => ({ ...one, user_ids: customers.userIds(one) })),
    },
    due,
    own: {
      close: chats.due.close,
      reset() {
        twin.reset();
        world.rates?.reset();
        store.write(restore);
      },
    },
  });
}
