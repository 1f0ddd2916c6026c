import { dashboardToken } from '../harness/calls/dashboard.ts';
import { connectionOf, leash } from '../harness/calls/leash.ts';
import { requestOf, toolOf } from '../harness/calls/operations.ts';
import { list, store } from '../harness/calls/rest.ts';
import { png } from '../harness/media-samples.ts';
import { openConnectPage } from '../harness/calls/stand-ins.ts';
import { googleTwinOf } from '../harness/platforms/google/twin.ts';
import { newMember } from '../harness/calls/members.ts';
import { setFault } from '../harness/worlds/post-stage.ts';
import { askStripe } from '../harness/worlds/twins/stripe.ts';
import type { Json } from '../harness/world.ts';
import { openStage, type Stage } from '../eval/stage.ts';
import { standInOf } from '../journeys/platforms/stand-in.ts';

type Who = 'key' | 'person' | 'assistant';
type Answered = Readonly<{ status: number; body: Json }>;

/** What an example needs to know of the calls before it, and what happens outside of the API. */
export type Play = Awaited<ReturnType<typeof openPlay>>;

/** Opens a stage on which operations are called one after the other. */
export async function openPlay(atEnd: (end: () => Promise<void>) => void) {
  const stage: Stage = await openStage(atEnd);
  const { world, facebook, google, whatsapp, accounts } = stage;
  const tiktok = standInOf(world, 'tiktok', '/v2/auth/authorize/');
  const pinterest = standInOf(world, 'pinterest', '/oauth/');
  const answers = new Map<string, Json>();
  const values = new Map<string, string>();
  let assistant = '';
  keep('tiktok', await tiktok.connect('olivia.sandbox.test'));
  keep('threads', await standInOf(world, 'threads', '/oauth/authorize').connect('olivia.sandbox.test'));
  const { id: endpoint } = await world.receive(['post.published', 'dm.received']);
  values.set('endpoint', endpoint);

  function keep(name: string, value: string): void {
    values.set(name, value);
  }

  async function keyOf(who: Who): Promise<string> {
    if (who === 'person') return dashboardToken(world);
    return who === 'assistant' ? assistant : world.key;
  }

  async function held(text: string): Promise<string> {
    const input = { text, account_ids: [accounts.bluesky], publish_now: true };
    return (await world.rest('POST /v1/posts', input, { key: assistant })).body.id;
  }

  return Object.freeze({
    stage,
    /** The answer of an operation that was called before. */
    said: (operation: string): Json => answers.get(operation),
    /** Something that another step found out. */
    kept: (name: string): string => values.get(name)!,

    /** Calls an operation over REST. */
    async call(operation: string, input: Readonly<Record<string, unknown>>, as: Who): Promise<Answered> {
      const { route, body } = requestOf(toolOf(operation), input);
      const key = await keyOf(as);
      const answer = toolOf(operation).stream
        ? await beginningOf(`${world.root}${route.replace('GET ', '')}`, key)
        : await world.rest(route, body, { key });
      answers.set(operation, answer.body);
      return answer;
    },

    pass: (ms: number) => world.pass(ms),

    /** Somebody who was invited joins. */
    joined: async (who: Readonly<{ email: string; name: string }>) =>
      keep('editor', (await newMember(world, 'editor', who)).id),

    /** A login that manages several profiles comes back. */
    async pending(person: string): Promise<void> {
      keep('pending', (await googleTwinOf(world).login(person)).get('connection_id')!);
    },

    /** A client of its own took the code of a login. */
    async code(person: string): Promise<void> {
      const begun = await world.rest('POST /v1/accounts/connect', { platform: 'pinterest' });
      const { consents } = await openConnectPage(begun.body.auth_url);
      const { location } = await pinterest.act('consent', { url: consents[0], person });
      const back = new URL(location).searchParams;
      keep('code', back.get('code')!);
      keep('state', back.get('state')!);
    },

    /** A post fails because its account has to be connected again, which is done. */
    async failedPost(): Promise<void> {
      setFault(world, 'revoked');
      const input = { text: 'The oven is warm.', account_ids: [accounts.bluesky], publish_now: true };
      keep('failed', (await world.rest('POST /v1/posts', input)).body.id);
      await world.connect();
      await world.settle();
      const [delivery] = await list(world, `/v1/webhooks/${endpoint}/deliveries`);
      keep('delivery', delivery!.id);
    },

    /** People write: a comment, a message, a mention and a review. */
    async people(): Promise<void> {
      const post = { text: 'Fresh bread.', account_ids: [accounts.facebook], publish_now: true };
      const { id, targets } = (await world.rest('POST /v1/posts', post)).body;
      keep('post', id);
      const [page] = await list(world, `/v1/accounts/${accounts.facebook}/pages`);
      const on = targets[0].platform_post_id;
      await facebook.act('comment', { person: 'fred.sandbox.test', on, message: 'Is it rye?' });
      await facebook.act('message', {
        person: 'mia.sandbox.test',
        page: page!.platform_page_id,
        text: 'Are you open on Sunday?',
      });
      await facebook.act('mention', {
        person: 'fred.sandbox.test',
        page: page!.platform_page_id,
        message: 'The best bread in town.',
      });
      await google.review(accounts.google, 2, 'The bread was cold.');
      await world.settle();
    },

    /** A picture that Google takes. */
    async photo(): Promise<void> {
      keep('photo', (await store(world, 'oven.png', 'image/png', png(400, 300, 12_000))).id);
    },

    async whatsappCode(): Promise<string> {
      const [number] = await whatsapp.look('numbers');
      return number!.code?.value ?? number!.code;
    },

    async approveTemplate(): Promise<void> {
      const [{ id: template }] = (await whatsapp.look('templates')) as readonly [Json];
      await whatsapp.act('review', { template, event: 'APPROVED' });
      await world.settle();
    },

    async pay(): Promise<void> {
      await askStripe(world, 'POST', 'pay', { checkout: answers.get('create_checkout').session_id, card: 'works' });
      await world.settle();
    },

    /** An assistant has a key that has to ask. */
    async leash(): Promise<void> {
      assistant = await world.newKey();
      await leash(world, assistant, { preset: 'ask' });
      keep('connection', await connectionOf(world, assistant));
    },

    async hold(): Promise<void> {
      keep('action', await held(`A new bread is coming (${values.size}).`));
    },

    action: async (id: string): Promise<Json> =>
      (await world.rest(`GET /v1/actions/${id}`, undefined, { key: await keyOf('person') })).body,

    async providerKey(): Promise<string> {
      const { sandbox } = world.product;
      await sandbox!.open('zernio');
      const owner = sandbox!
        .people()
        .find(({ network, handle }) => network === 'zernio' && handle === 'olivia.sandbox.test');
      return owner!.credentials['API key']!;
    },
  });
}

/** What a stream sends up to the end of its first event. */
async function beginningOf(url: string, key: string): Promise<Answered> {
  const { status, body: stream } = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  let sent = '';
  for await (const text of stream!.pipeThrough(new TextDecoderStream())) {
    sent += text;
    const [beginning] = /^[^]*?^id: [^]*?\n\n/m.exec(sent) ?? [];
    if (beginning !== undefined) return { status, body: beginning };
  }
  throw new Error(`${url} ended after ${sent}`);
}
