import { conforms } from '../conformance/conforms.ts';
import { twitterSubject } from '../conformance/subjects/twitter.ts';

conforms(twitterSubject);
