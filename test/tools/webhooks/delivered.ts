import type { World } from '../../harness/world.ts';

/** An endpoint that was told of an account, by the answers it gave; `input` names the delivery to operations. */
export async function delivered(world: World, ...answers: number[]) {
  const receiver = await world.receive(['account.connected']);
  receiver.answer(...answers);
  await world.connect();
  await world.settle();
  const webhook_id = receiver.id;
  const { data } = (await world.rest(`GET /v1/webhooks/${webhook_id}/deliveries`)).body;
  return { receiver, webhook_id, input: { webhook_id, delivery_id: data[0].id as string } };
}
