//! A connection that waits for a slow reader, and not for ever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose other end has to read. What is to be written has to be gone within some time from the moment on that the other end takes
/// no more of it. A byte now and then does not help: whoever reads so slowly would keep the connection as well.
#[derive(Debug)]
pub(crate) struct Patient<S> {
    stream: S,
    within: Duration,
    /// Runs while something waits to be read.
    patience: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(crate) const fn new(stream: S, within: Duration) -> Self {
        Self {
            stream,
            within,
            patience: None,
        }
    }

    /// What became of a try to write, unless it has been tried for too long.
    fn in_time<T>(
        &mut self,
        tried: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            return tried;
        }
        let begun = || Box::pin(sleep(self.within));
        let patience = self.patience.get_or_insert_with(begun);
        ready!(patience.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(tried, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.in_time(tried, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// It is asked for once everything was written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_ready() {
            self.patience = None;
        }
        self.in_time(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_shutdown(context);
        self.in_time(tried, context)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const LONG: Duration = Duration::from_hours(1);

    #[tokio::test]
    async fn an_answer_that_nobody_reads_ends_the_connection() {
        let (ours, _theirs) = duplex(8);
        let mut ours = Patient::new(ours, Duration::ZERO);
        ours.write_all(&[b'x'; 8]).await.unwrap();
        let ended = ours.write_all(b"y").await;
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn the_time_is_that_of_an_answer_and_not_of_a_byte() {
        let (ours, mut theirs) = duplex(8);
        let mut ours = Patient::new(ours, LONG);
        let until = |ours: &Patient<_>| ours.patience.as_ref().map(|it| it.deadline());
        assert_eq!(ours.write_all(&[b'x'; 9]).now_or_never().map(drop), None);
        let first = until(&ours);
        assert!(first.is_some());
        theirs.read_u8().await.unwrap();
        assert_eq!(ours.write_all(b"xx").now_or_never().map(drop), None);
        assert_eq!(until(&ours), first);
        // The next answer has its own time.
        theirs.read_exact(&mut [0; 8]).await.unwrap();
        ours.write_all(b"x").await.unwrap();
        ours.flush().await.unwrap();
        assert_eq!(until(&ours), None);
    }
}
