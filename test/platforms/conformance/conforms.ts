import { describe, expect, it } from 'vitest';
import { meetErrors } from './errors.ts';
import { causeEvents, endAccount } from './checks/events.ts';
import { expectFinishFromStored } from './checks/finish.ts';
import { documentedInbound, receiveEverything } from './checks/inbound.ts';
import { expectNoStrangeIds } from './checks/ids.ts';
import { publishThroughMishaps, publishUncut } from './checks/publishing.ts';
import { renewSession } from './checks/refreshing.ts';
import { publishRefusals, sendFailed, sendRefused } from './checks/unlisted.ts';
import { expectNoSecrets } from './checks/secrets.ts';
import { sendThroughMishaps } from './checks/sending.ts';
import { takeWords } from './checks/words.ts';
import { openStage, setUp, type Stage } from './stage.ts';
import type { Subject } from './subject.ts';
import { nameOf } from './subjects.ts';

/** Whether no secret was noted, and all that was asked and answered is as the platform describes it. */
async function expectClean(stage: Stage): Promise<void> {
  await expectNoSecrets(stage);
  expect(stage.flaws()).toEqual([]);
}

/** The tests that every platform passes, on one of them. */
export function conforms(subject: Subject): void {
  describe(nameOf(subject), () => {
    const kinds = Object.keys(subject.posts);
    const isCut = (kind: string) => subject.posts[kind]!.within === undefined;
    const cuts = kinds.filter(isCut).flatMap((kind) => {
      const parts = subject.posts[kind]!.cutIn ?? 1;
      return Array.from({ length: parts }, (_, part) => ({ kind, part: part + 1, parts }));
    });
    it.each(cuts)('publishes once, wherever it is cut: $kind ($part of $parts)', async ({ kind, part, parts }) => {
      const stage = await openStage(subject);
      const { account } = await subject.connect(stage, 0);
      await stage.hear();
      const mishaps = await publishThroughMishaps(stage, subject, account, kind, { part, parts });
      expect(mishaps).toBeGreaterThan(parts === 1 ? 1 : 0);
      const isFindable = subject.posts[kind]!.unfindable !== true;
      expect(await expectFinishFromStored(stage, subject)).toBeGreaterThan(isFindable ? 1 : 0);
      await expectClean(stage);
    });

    it.skipIf(kinds.every(isCut))('publishes every other kind by the same requests as one that is cut', async () => {
      const stage = await openStage(subject);
      const { account } = await subject.connect(stage, 0);
      await stage.hear();
      await publishUncut(stage, subject, account);
      expect(await expectFinishFromStored(stage, subject)).toBeGreaterThan(1);
      await expectClean(stage);
    });

    it('sends each kind of answer once, wherever it is cut', async () => {
      const stage = await openStage(subject);
      const scene = await setUp(stage, subject);
      for (const [kind, one] of Object.entries(subject.sends)) {
        expect(await sendThroughMishaps(stage, scene, kind, one)).toBeGreaterThan(0);
      }
      await expectClean(stage);
    });

    it('takes a refusal that no table lists for one, and sends nothing', async () => {
      const stage = await openStage(subject);
      const scene = await setUp(stage, subject);
      for (const kind of Object.keys(subject.sends)) await sendRefused(stage, scene, subject, kind);
      await expectClean(stage);
    });

    it('says what the platform said of a send that remains in doubt', async () => {
      const stage = await openStage(subject);
      const scene = await setUp(stage, subject);
      for (const kind of Object.keys(subject.sends)) await sendFailed(stage, scene, subject, kind);
      await expectClean(stage);
    });

    it.skipIf(kinds.length === 0)(
      'takes a refusal that no table lists for one before anything can be public',
      async () => {
        const stage = await openStage(subject);
        const { account } = await subject.connect(stage, 0);
        await stage.hear();
        expect(await publishRefusals(stage, subject, account)).toBeGreaterThan(0);
        await expectClean(stage);
      },
    );

    it('renews its session once, and comes to an end where the answer is lost', async () => {
      const stage = await openStage(subject);
      await renewSession(stage, subject);
      await expectClean(stage);
    });

    it('answers every error of its tables as their rows say', async () => {
      const stage = await openStage(subject);
      expect(await meetErrors(stage, await setUp(stage, subject), subject)).toBeGreaterThan(5);
      await expectClean(stage);
    });

    it.skipIf(subject.inbound === undefined)(
      'shows whatever people send, as docs/inbound.md says',
      async () => {
        const cases = Object.entries(subject.inbound ?? {});
        const told = cases.map(([name, { becomes }]) => [name, becomes]);
        expect(Object.fromEntries(told)).toEqual(documentedInbound(subject.platform.title));
        const stage = await openStage(subject);
        await receiveEverything(stage, subject, await setUp(stage, subject));
        await expectClean(stage);
      },
      60_000,
    );

    const { push } = subject.platform;
    it.skipIf(push === undefined)('takes pushes in which any text is a word that every object has', async () => {
      expect(await takeWords(subject, push!)).toBeGreaterThan(3);
    });

    it('is asked nothing by what cannot be an id of it', async () => {
      const stage = await openStage(subject);
      await expectNoStrangeIds(stage, await setUp(stage, subject), subject);
      await expectClean(stage);
    });

    it('has every event that the catalogue gives it', async () => {
      const stage = await openStage(subject);
      await causeEvents(stage, subject, await setUp(stage, subject));
      await expectClean(stage);
    });

    it.each(
      Object.entries({
        'access is taken back': subject.deauthorize,
        'data is to be deleted': subject.deleteData,
      }).flatMap(([what, end]) => (end ? [[what, end] as const] : [])),
    )('ends an account when %s', async (_what, end) => {
      const stage = await openStage(subject);
      const scene = await setUp(stage, subject);
      await endAccount(stage, scene, end);
      await expectClean(stage);
    });

    for (const [what, can] of Object.entries(subject.capabilities ?? {})) {
      it(what, async () => {
        const stage = await openStage(subject);
        await can(stage);
        await expectClean(stage);
      });
    }

    for (const [what, can] of Object.entries(subject.scenes ?? {})) {
      it(what, async () => {
        const stage = await openStage(subject);
        await can(stage, await setUp(stage, subject));
        await expectClean(stage);
      });
    }
  });
}
