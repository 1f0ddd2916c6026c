import type { Row } from '../schema/database.ts';
import { recordsIn } from './records.ts';

export type ReviewRow = Row<'reviews'>;

export const { load: loadReview, insert: insertReview, patch: patchReview } = recordsIn('reviews');
