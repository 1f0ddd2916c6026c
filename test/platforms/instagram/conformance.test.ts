import { conforms } from '../conformance/conforms.ts';
import { instagramSubjects } from '../conformance/instagram.ts';

for (const subject of instagramSubjects) conforms(subject);
