import type { Receiver } from '../webhooks/receiver.ts';
import type { Answer, Json, World } from '../world.ts';

/** What a request is refused with: the status, and the code of the error. */
export async function refusalOf(asked: Promise<Readonly<{ status: number; body: Json }>>) {
  const { status, body } = await asked;
  return [status, body.error?.code] as const;
}

/** The body of what is read. */
export const read = async (world: World, path: `/${string}`): Promise<Json> => (await world.rest(`GET ${path}`)).body;

/** The rows of a list. */
export const list = async (world: World, path: `/${string}`): Promise<readonly Json[]> =>
  (await read(world, path)).data;

export const postNow = (world: World, id: string): Promise<Json> => read(world, `/v1/posts/${id}`);

export async function accountNow(world: World, account: string): Promise<Json> {
  return (await list(world, '/v1/accounts')).find(({ id }) => id === account);
}

/** Publishes at once on an account, unless the input says otherwise. */
export const publish = (world: World, account: string, input: object): Promise<Answer> =>
  world.rest('POST /v1/posts', { account_ids: [account], publish_now: true, ...input });

/** Takes in what was published elsewhere, and lets what follows of it happen. */
export async function sync(world: World, account: string): Promise<number> {
  const { status } = await world.rest(`POST /v1/accounts/${account}/sync`);
  await world.settle();
  return status;
}

/** Stores a file; answers what is told of it. */
export async function store(world: World, name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<Json> {
  const form = new FormData();
  form.set('file', new Blob([bytes], { type }), name);
  const { status, body } = await world.rest('POST /v1/media/upload', form);
  if (status !== 201) throw new Error(`${name}: ${JSON.stringify(body)}`);
  return body;
}

/** The conversation of last: what is said in it, and a way to say more. */
export async function openThread(world: World) {
  const [{ id }] = (await list(world, '/v1/inbox/conversations')) as readonly [Json];
  const path = `/v1/inbox/conversations/${id}/messages` as const;
  return {
    id: id as string,
    messages: () => list(world, path),
    async say(input: object): Promise<Answer> {
      const answer = await world.rest(`POST ${path}`, input);
      await world.settle();
      return answer;
    },
  };
}

/** What a receiver was told of an event so far. */
export const heardBy =
  ({ received }: Pick<Receiver, 'received'>) =>
  (name: string): readonly Json[] =>
    received.map(({ body }) => body).filter(({ event }) => event === name);
