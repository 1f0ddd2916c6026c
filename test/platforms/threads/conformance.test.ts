import { conforms } from '../conformance/conforms.ts';
import { threadsSubject } from '../conformance/threads.ts';

conforms(threadsSubject);
