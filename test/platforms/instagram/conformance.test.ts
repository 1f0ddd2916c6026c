import { conforms } from '../conformance/conforms.ts';
import { instagramSubjects } from '../conformance/subjects/instagram.ts';

for (const subject of instagramSubjects) conforms(subject);
