import type { Scene, PostCase, SendCase, Subject } from '../platforms/conformance/subject.ts';
import { nameOf } from '../platforms/conformance/subjects.ts';

/** The same numbers for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An account of a platform, with something to answer there. */
export type Owner = Readonly<{ subject: Subject; scene: Scene }>;

/** A post to be published, or something to be sent; its text is its own. */
export type Plan = Readonly<{ text: string; kind: string; owner: Owner }> &
  (Readonly<{ what: 'post'; one: PostCase }> | Readonly<{ what: 'send'; one: SendCase }>);
export type PostPlan = Extract<Plan, { what: 'post' }>;
export type SendPlan = Extract<Plan, { what: 'send' }>;

/** Beyond the numbers of the posts that accounts begin with: files are made of them. */
const FIRST = 1000;

/** So many posts and sends: of every account in turn, each kind that the subject of its platform has in turn. */
export function plansOf(count: number, owners: readonly Owner[]): readonly Plan[] {
  const kinds = owners.map(({ subject: { posts, sends } }) => [
    ...Object.entries(posts).map(([name, one]) => ({ name, what: 'post' as const, one })),
    ...Object.entries(sends).map(([name, one]) => ({ name, what: 'send' as const, one })),
  ]);
  return Array.from({ length: count }, (_, n) => {
    const owner = owners[n % owners.length]!;
    const own = kinds[n % owners.length]!;
    const { name, ...kind } = own[Math.floor(n / owners.length) % own.length]!;
    const label = `${nameOf(owner.subject)} ${name}`;
    return { ...kind, owner, kind: label, text: `Soak of a ${label} ${FIRST + n}` };
  });
}
