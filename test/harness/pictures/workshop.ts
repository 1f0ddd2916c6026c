import { makeWorkshop, type Workshop } from '#engine/media/pictures/workshop.ts';

const { run } = makeWorkshop({ warn: () => {} });
let working = 0;

/** Whether a picture is worked on: however long that takes, no time passes meanwhile. */
export const isWorkingOnPictures = () => working > 0;

/** The process for pictures of this worker, which its worlds share: to start one costs more than most tests. */
export const sharedWorkshop: Workshop = Object.freeze({
  async run(task, how) {
    working += 1;
    return run(task, how).finally(() => (working -= 1));
  },
  close: () => {},
} satisfies Workshop);
