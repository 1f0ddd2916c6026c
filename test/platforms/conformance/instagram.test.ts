import { conforms } from './conforms.ts';
import { instagramSubjects } from './instagram.ts';

for (const subject of instagramSubjects) conforms(subject);
