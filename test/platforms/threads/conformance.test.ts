import { conforms } from '../conformance/conforms.ts';
import { threadsSubject } from '../conformance/subjects/threads.ts';

conforms(threadsSubject);
