import { SECOND, MINUTE } from '#kernel/clock.ts';
import type { CrashPointName } from '#call/crash-points.ts';
import { LeaseLost } from '#engine/jobs/lease.ts';
import { platforms } from '#platforms/index.ts';
import { withAllSettings } from '#platforms/shared/kinds.ts';
import { toolsets } from '#tools/index.ts';
import { TWINS } from '#sandbox/network.ts';
import { makeGate } from '../../harness/platforms/gate.ts';
import { makeWorld, type Json } from '../../harness/world.ts';
import { placeIn } from './place.ts';
import { openScene } from './scene.ts';
import type { Scene, Subject } from './subject.ts';

/** Ends a run at the nth passing of a point, as a dying process does: nothing is written any more. */
function makeMortality() {
  const passed = new Map<CrashPointName, number>();
  let armed: Readonly<{ point: CrashPointName; nth: number }> | undefined;
  return {
    passed,
    arm(point?: CrashPointName, nth = 1): void {
      passed.clear();
      armed = point && { point, nth };
    },
    crash(point: CrashPointName): void {
      const count = (passed.get(point) ?? 0) + 1;
      passed.set(point, count);
      if (armed?.point === point && armed.nth === count) throw new LeaseLost();
    },
  };
}

/** A product with one platform behind a gate, and the way in that cases use. */
export async function openStage(subject: Subject, { sandboxFile = ':memory:' } = {}) {
  const { platform, described } = subject;
  const flaws = new Set<string>();
  let isHeld = described === undefined;
  const gate = makeGate(platform.slug, (exchange) => {
    const found = described?.(exchange);
    found?.forEach((flaw) => flaws.add(flaw));
    isHeld ||= found !== undefined;
  });
  const mortality = makeMortality();
  const world = await makeWorld({
    gate: gate.handle,
    env: { LOG_LEVEL: 'trace' },
    surroundings: {
      crash: mortality.crash,
      sandboxFile,
      toolsets,
      checkOutput: false,
      platforms: new Map([...platforms, [platform.slug, withAllSettings(platform)]]),
      ...(subject.twin && { twins: [...TWINS.filter(({ slug }) => slug !== platform.slug), subject.twin] }),
    },
  });

  await world.product.sandbox!.open(platform.slug);

  const place = placeIn(world, gate.isBusy);
  const stage = {
    ...place,
    world,
    gate,
    mortality,
    /** What the platform's own description has against what was asked and answered so far. */
    flaws: () => (isHeld ? [...flaws] : ['no request was held to the description']),
  };
  await subject.prepare?.(stage);
  return stage;
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Connects an account that has a post, a comment and a conversation, as far as its platform has them. */
export async function setUp(stage: Stage, subject: Subject): Promise<Stage & Scene> {
  const scene = await openScene(stage, subject);
  stage.world.clock.move(SECOND);
  return scene;
}

/** The post with everything it was asked for, once nothing about it is open any more; time passes until it is. */
export async function finalPost({ world, rest }: Stage, id: string): Promise<Json> {
  for (let waits = 0; ; waits += 1) {
    await world.settle();
    const { body: post } = await rest(`GET /v1/posts/${id}`);
    const isPending = post.results.some(({ metadata }: Json) => metadata?.first_comment_status === 'pending');
    const isOpen = post.status === 'publishing' || post.status === 'scheduled' || isPending;
    if (!isOpen) return post;
    if (waits > 60) throw new Error(`the post is still ${post.status}`);
    world.clock.move(2 * MINUTE);
  }
}
