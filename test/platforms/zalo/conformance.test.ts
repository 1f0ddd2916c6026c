import { conforms } from '../conformance/conforms.ts';
import { zaloSubject } from '../conformance/subjects/zalo.ts';

conforms(zaloSubject);
