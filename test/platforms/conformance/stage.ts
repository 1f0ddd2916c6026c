import { setImmediate as turn } from 'node:timers/promises';
import type { CrashPointName } from '#call/crash-points.ts';
import { LeaseLost } from '#engine/jobs/lease.ts';
import { platforms } from '#platforms/index.ts';
import { withAllSettings } from '#platforms/lookup.ts';
import { toolsets } from '#tools/index.ts';
import { TWINS } from '#sandbox/network.ts';
import { makeGate } from '../../harness/platforms/gate.ts';
import { isWorkingOnPictures } from '../../harness/pictures/workshop.ts';
import { makeWorld, type Json } from '../../harness/world.ts';
import { openScene } from './scene.ts';
import type { Door, Scene, Subject } from './subject.ts';

const SECOND = 1000;
export const MINUTE = 60 * SECOND;
/** Turns of the event loop without anything under way, after which only time can help. */
const QUIET_TURNS = 30;

/** Whether files are read, names looked up or connections made: however long that takes, no time passes meanwhile. */
const isWaitingForSystem = () =>
  isWorkingOnPictures() || process.getActiveResourcesInfo().some((name) => /Req|ConnectWrap/.test(name));

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
      ...(subject.twin && { twins: [...TWINS, subject.twin] }),
    },
  });

  await world.product.sandbox!.open(platform.slug);

  /** Lets time pass while the product waits for nothing else. */
  async function hurry<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = () => void (isOver = true);
    work.then(end, end);
    for (let quiet = 0; !isOver; quiet += 1) {
      await turn();
      if (gate.isBusy() || isWaitingForSystem()) quiet = 0;
      if (quiet < QUIET_TURNS) continue;
      world.clock.move(SECOND);
      quiet = 0;
    }
    return work;
  }

  const door: Door = {
    rest: (call, body) => hurry(world.rest(call, body)),
    async control(path, body) {
      const headers = { 'Content-Type': 'application/json' };
      const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await fetch(`${world.root}/sandbox/__control/${path}`, init);
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      const { data } = (await answer.json()) as { data: Json };
      return data?.done ?? data;
    },
    async upload(name, type, bytes) {
      const form = new FormData();
      form.set('file', new Blob([bytes], { type }), name);
      return (await world.rest('POST /v1/media/upload', form)).body.id;
    },
  };
  let texts = 0;
  const stage = {
    ...door,
    world,
    gate,
    mortality,
    /** What the platform's own description has against what was asked and answered so far. */
    flaws: () => (isHeld ? [...flaws] : ['no request was held to the description']),
    text: (what: string) => `${what} ${(texts += 1)}`,
    /** Waits for what the platform reports by itself, pushed or polled. */
    async hear(): Promise<void> {
      await world.settle();
      await world.pass(MINUTE);
    },
    first: async (path: `/${string}`): Promise<Json> => (await door.rest(`GET ${path}`)).body.data[0],
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
