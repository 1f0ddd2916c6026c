import type { Context } from 'koa';
import { graphGate, graphServer } from '../graph/api/server.ts';
import { openGraph } from '../graph/index.ts';
import type { Person } from '../graph/docs.ts';
import { makeDialog } from '../graph/oauth/dialog.ts';
import { makeOAuth } from '../graph/oauth/oauth.ts';
import { commonParts } from '../graph/parts.ts';
import { entriesOf } from '../graph/push/updates.ts';
import type { Methods } from '../graph/world.ts';
import { openRates } from '../kit/api/rates.ts';
import { hostBelow, ownOrigins } from '../kit/options.ts';
import type { TwinOptions } from '../kit/options.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { accountMethods } from './business/accounts.ts';
import { numberMethods, restoreNumbers } from './business/numbers.ts';
import { isUpload, receiving, uploadMethods } from './business/uploads.ts';
import { whatsappActs } from './console/acts.ts';
import { makeScene } from './console/scene.ts';
import { makeCustomers } from './customers.ts';
import { DONE } from './docs.ts';
import type { WhatsAppDocs } from './docs.ts';
import { throttled, withStatuses } from './errors.ts';
import { makeChats, makePhones } from './messages/chats.ts';
import { mediaHost, mediaMethods, openMedia } from './messages/media.ts';
import { messageMethods } from './messages/messages.ts';
import { makeTemplates } from './templates/sending.ts';
import { templateMethods } from './templates/templates.ts';
import { SETTINGS } from './world.ts';
import type { World } from './world.ts';

const RIGHTS = Object.freeze(['whatsapp_business_management', 'whatsapp_business_messaging']);
const SCOPES = Object.freeze(['public_profile', 'business_management', ...RIGHTS]);
const DAY = 86_400_000;
const NODES = ['person', 'page', 'number', 'media', 'template', 'upload'];
const SHOWN_PUSHES = 500;

/** Who lives on every new twin: owners with one number, with several, and with none. */
const RESIDENTS = Object.freeze({
  owners: [
    ['wanda.sandbox.test', 'Wanda Wells', ['Wells Bakery']],
    ['otto.sandbox.test', 'Otto Outdoor', ['Otto Outdoor', 'Otto Rentals']],
    ['nora.sandbox.test', 'Nora Nonumber', ['Nora Studio']],
  ],
  followers: [],
} as const);

/** The world of the twin, with timers that end with it. */
function openWorld(options: TwinOptions) {
  const graph = openGraph<WhatsAppDocs, typeof SETTINGS>(options, {
    ...ABOUT,
    bodies: entriesOf('whatsapp_business_account'),
    settings: SETTINGS,
    residents: RESIDENTS,
    userAgent: 'facebookexternalua',
  });
  const timers = new Set<() => void>();
  function later(ms: number, run: () => void): void {
    const cancel = options.clock.after(ms, () => {
      timers.delete(cancel);
      run();
    });
    timers.add(cancel);
  }
  const world: World = Object.freeze({
    ...graph.world,
    rates: options.rateLimits ? openRates(options.clock) : undefined,
    lookaside: hostBelow(options.rootUrl, ABOUT.slug, 'lookaside'),
    later,
  });
  return Object.freeze({
    ...graph,
    world,
    end() {
      for (const cancel of timers) cancel();
      graph.queue.close();
    },
  });
}

/** What stands behind a system user: access without end to everything of its owner, until somebody takes it back. */
function makeSystemUsers({ nodes, people, tokens, clock, store }: World) {
  return function tokenOf({ id, at, session_no }: Person): string {
    const pages = people.rolesOf(id).map(({ page_id }) => page_id);
    const scopes = Object.fromEntries(SCOPES.map((scope) => [scope, 'granted' as const]));
    const grant =
      nodes.get('grant', id) ??
      store.write(() => nodes.put('grant', { id, at, grant_no: clock.now(), scopes, pages, login_at: clock.now() }));
    const life = { session_no, grant_no: grant.grant_no, issued_at: at, expires_at: 0 };
    return tokens.issue({ kind: 'user', person: id, page: '', ...life });
  };
}

/** The stand-in of WhatsApp: its Cloud API, the sign-up dialog, the phones of customers and the updates it sends. */
export function openWhatsApp(options: TwinOptions): Twin {
  const { world, queue, reset, end } = openWorld(options);
  const { nodes, files, settings, store } = world;
  const customers = makeCustomers(world);
  const chats = makeChats(world, customers);
  const phones = makePhones(world, customers, chats);
  const media = openMedia(world);
  const templates = makeTemplates(world);
  const oauth = makeOAuth(world, /^whatsapp_/, () => settings.get('token_days') * DAY);
  const dialog = makeDialog(world, oauth, {
    network: ABOUT.title,
    scopes: SCOPES,
    configured: RIGHTS,
    forms: options.forms,
    origins: () => ownOrigins(options),
    profiles: { name: 'WhatsApp accounts', field: 'account' },
  });
  const methods: Methods = Object.freeze({
    ...oauth.methods,
    ...accountMethods(world),
    ...numberMethods(world, customers),
    ...uploadMethods(world),
    ...mediaMethods(world, media),
    ...templateMethods(world, templates),
    ...messageMethods(world, { customers, chats, media, templates }),
  });
  const gate = withStatuses(graphGate(options, world, { throttled }), () => settings.get('limits_as_400'));
  const graph = hostBelow(options.rootUrl, ABOUT.slug, 'graph');
  const answerGraph = graphServer({
    world,
    gate,
    methods,
    kinds: NODES,
    due: chats.due,
    aboutWhom: oauth.aboutWhom,
    graph,
  });
  const receive = receiving(world, gate);
  const tokenOf = makeSystemUsers(world);
  const scene = makeScene(world, customers, chats, tokenOf);
  function restore(): void {
    restoreNumbers(world);
    customers.restore();
  }
  if (nodes.list('number').length === 0) store.write(restore);

  return makeTwin({
    ...ABOUT,
    ...commonParts(world, queue, { known: scene.known, history: () => [] }),
    methods: Object.freeze([...Object.keys(methods), 'POST upload', 'GET lookaside']),
    areas: {
      graph: (ctx: Context, rest: readonly string[], area: string) =>
        isUpload(ctx, rest) ? receive(ctx, rest) : answerGraph(ctx, rest, area),
      lookaside: mediaHost(world, media, gate),
      cdn: fileHost(files, (id) => nodes.get('blob', id)),
      www: (ctx: Context, rest: readonly string[]) =>
        rest.slice(-2).join('/') === 'dialog/oauth' ? dialog.answer(ctx) : undefined,
    },
    cast: scene.cast,
    acts: whatsappActs(world, { customers, chats, phones, media, templates, oauth, dialog, queue }),
    conversations: scene.conversations,
    lists: { ...scene.lists, pushes: () => queue.list(SHOWN_PUSHES).toReversed() },
    pushes: { ...queue, close: end },
    due: chats.due,
    reset() {
      reset(DONE);
      world.rates?.reset();
      store.write(restore);
    },
  });
}
