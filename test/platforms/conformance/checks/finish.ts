import { expect } from 'vitest';
import type { Stage } from '../stage.ts';
import type { Subject } from '../subject.ts';

/** Works out the published post of every stored target again, from what the store holds of its steps. */
export async function expectFinishFromStored({ world }: Stage, { platform }: Subject): Promise<number> {
  const { db } = world.product.store;
  const targets = await db.selectFrom('targets').selectAll().where('status', '=', 'published').execute();
  const hosts = platform.hosts.sandbox({ api: world.root, web: world.root });
  for (const { id, platform_post_id } of targets) {
    const steps = await db.selectFrom('steps').select(['name', 'result']).where('target_id', '=', id).execute();
    const done = Object.fromEntries(steps.map(({ name, result }) => [name, result]));
    const posts = platform.posts!;
    const { platform_post_id: again } = posts.publish.finish(done, hosts);
    // A post may have got an id of its own since.
    const listed = { platform_post_id: platform_post_id!, text: '', created_at: 0, media: [] };
    expect([id, again === platform_post_id || posts.isSame?.(again, listed), again]).toEqual([id, true, again]);
  }
  return targets.length;
}
