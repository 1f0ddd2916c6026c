import { conforms } from '../conformance/conforms.ts';
import { tiktokSubjects } from '../conformance/subjects/tiktok.ts';

for (const subject of tiktokSubjects) conforms(subject);
