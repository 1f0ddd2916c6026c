import type { Row } from '../schema/database.ts';
import { recordsIn } from './records.ts';

export type MentionRow = Row<'mentions'>;

export const { load: loadMention, insert: insertMention, patch: patchMention } = recordsIn('mentions');
