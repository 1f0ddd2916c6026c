import { makeWorkshop, type Workshop } from '#engine/media/pictures/workshop.ts';

/** The process for pictures of this worker, which its worlds share: to start one costs more than most tests. */
export const sharedWorkshop: Workshop = Object.freeze({ ...makeWorkshop({ warn: () => {} }), close: () => {} });
